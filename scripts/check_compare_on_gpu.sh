#!/usr/bin/env bash
# check_compare_on_gpu.sh TUNER KERNELS [TIMES] [SHAPE] [SECONDS]: `tuner compare` on the GPU that is here, each time a
# fresh process; KERNELS is tests/kernels. A kernel against itself (50 times) must never trip `--fail-if-slower 2%`, the
# same kernel slowed by 3 % must trip it every time. What slows it is extra rows, of which as many are taken as make it
# 3 % slower, found first. No compare is begun after SECONDS (230). Prints what was found of each kind and exits 1 where
# that is wrong. Needs python3.
set -euo pipefail
tuner=$(readlink -f "$1")
kernels=$(readlink -f "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TUNER_CACHE=$folder/cache TUNER_DB=$folder/none.db
python3 - "$tuner" "$kernels" "${3:-50}" "${4:-8192x4096}" "${5:-230}" <<'PYTHON'
import json, statistics, subprocess, sys, time
tuner, kernels, times, shape, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], float(sys.argv[5])
begin = time.monotonic()
plain = "block_size=256,again=0"


def compare(b, *flags):
    start = time.monotonic()
    done = subprocess.run([tuner, "compare", plain, b, "--kernel", "slowed", "--shape", shape, "--kernels", kernels, "--json",
                           "--quiet", *flags], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"exit {done.returncode}: {done.stderr}")
    result = json.loads(done.stdout)["results"][0]
    return done.returncode, result, time.monotonic() - start


def slowed(again):
    return f"block_size=256,again={again}"


found = {}
for again in (20, 40):
    _, result, _ = compare(slowed(again))
    found[again] = result["ratio"] - 1
    print(f"{again} more rows in a thousand: {found[again]:+.2%} ({result['ratio_low'] - 1:+.2%} to {result['ratio_high'] - 1:+.2%})")
slope = (found[40] - found[20]) / 20
wanted = 20 + (0.03 - found[20]) / slope if slope > 0 else 30
known = [10, 15, 20, 25, 28, 30, 32, 34, 36, 38, 40, 45, 50, 60, 80]
again = min(known, key=lambda each: abs(each - wanted))
print(f"3 % are about {wanted:.1f} rows in a thousand: {again} are taken")

# In turn, so that both kinds see the same minutes.
kinds = {"itself": plain, "slowed": slowed(again)}
rows = {kind: [] for kind in kinds}
for _ in range(times):
    if time.monotonic() - begin > limit:
        break
    for kind, b in kinds.items():
        rows[kind].append(compare(b, "--fail-if-slower", "2%"))
bad = False
for kind, all_of in rows.items():
    ratios = [result["ratio"] - 1 for _, result, _ in all_of]
    halves = [(result["ratio_high"] - result["ratio_low"]) / 2 for _, result, _ in all_of]
    tripped = sum(code == 4 for code, _, _ in all_of)
    verdicts = {}
    for _, result, _ in all_of:
        verdicts[result["verdict"]] = verdicts.get(result["verdict"], 0) + 1
    print(f"{kind:7}{len(all_of)} compares, {tripped} tripped; {verdicts}; B against A {min(ratios):+.3%} to {max(ratios):+.3%}, "
          f"median {statistics.median(ratios):+.3%}; interval +/-{statistics.median(halves):.3%}, at most {max(halves):.3%}; "
          f"placements {statistics.mean(result['placements'] for _, result, _ in all_of):.1f}, "
          f"noise floor {statistics.median(result['noise_floor'] for _, result, _ in all_of):.3%}; "
          f"{statistics.mean(seconds for _, _, seconds in all_of):.2f} s each")
    bad = bad or (tripped > 0 if kind == "itself" else tripped < len(all_of))
if len(rows["itself"]) < times:
    print(f"only {len(rows['itself'])} of {times}: time was up")
print(f"{time.monotonic() - begin:.0f} s in all:", "BAD" if bad else "good")
sys.exit(bad)
PYTHON
