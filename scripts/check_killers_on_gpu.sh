#!/usr/bin/env bash
# check_killers_on_gpu.sh TUNER KERNELS [SHAPE]: one sweep of a hundred honest candidates beside thirteen killers and one
# without them, on the GPU that is here; KERNELS is tests/kernels. Prints the reason of each killer, both winners, how
# far the finalists' times differ and what the killers cost; exits 1 where a reason is wrong, the winners differ by more
# than their tie, or a finalist's time by more than 1 %. Needs python3.
set -euo pipefail
tuner=$(readlink -f "$1")
kernels=$(readlink -f "$2")
shape=${3:-4096x4096}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TUNER_CACHE=$folder/cache

cat >"$folder/all.yaml" <<YAML
tuner: 1
kernels: [killers]
shapes: [$shape]
YAML
sed 's/^kernels: .*/kernels: [{kernel: killers, params: {killer: [none]}}]/' "$folder/all.yaml" >"$folder/honest.yaml"
for part in honest all; do
  "$tuner" sweep "$folder/$part.yaml" --kernels "$kernels" --db "$folder/$part.db" --json --quiet >"$folder/$part.json"
done
python3 - "$folder" <<'PYTHON'
import json, sys
folder = sys.argv[1]
honest, everyone = (json.load(open(f"{folder}/{part}.json"))["problems"][0] for part in ("honest", "all"))
right = {"write_past_end": {"out_of_bounds"}, "read_past_end": {"out_of_bounds", "fault"}, "endless_loop": {"timeout"},
         "trap": {"fault"}, "nan": {"not_finite"}, "unwritten": {"unwritten_output"}, "wrong_tail": {"wrong_result"},
         "change_input": {"input_changed"}, "race": {"nondeterministic", "wrong_result", "missing_barrier"},
         "compile_error": {"compile_error"}, "endless_compile": {"compile_timeout", "compile_crash"},
         "too_much_shared": {"shared_memory"}, "too_many_registers": {"registers"}}
bad = False
key = lambda trial: json.dumps(trial["params"], sort_keys=True)
for trial in everyone["trials"]:
    killer = trial["params"]["killer"]
    if killer == "none":
        if trial["status"] == "rejected":
            bad = True
            print("BAD  an honest one was rejected:", key(trial), trial["reason"])
        continue
    good = trial["status"] == "rejected" and trial["reason"] in right.pop(killer)
    bad = bad or not good
    print("ok  " if good else "BAD ", killer, trial["reason"], "|", (trial.get("detail") or "").splitlines()[:1])
bad = bad or bool(right)
count = sum(trial["params"]["killer"] == "none" for trial in everyone["trials"])
before = {key(trial): trial for trial in honest["trials"]}
winners = [next(t for t in part["trials"] if t["trial"] == part["winner"]) for part in (honest, everyone)]
print(f"{count} honest; winners {winners[0]['time_us']:.3f} us and {winners[1]['time_us']:.3f} us,",
      "the same" if key(winners[0]) == key(winners[1]) else f"NOT the same: {key(winners[0])} {key(winners[1])}")
bad = bad or key(winners[0]) != key(winners[1])
differences = sorted((abs(t["time_us"] / before[key(t)]["time_us"] - 1), key(t)) for t in everyone["trials"]
                     if t.get("finalist") and before.get(key(t), {}).get("finalist"))
measured = sorted(abs(t["time_us"] / before[key(t)]["time_us"] - 1) for t in everyone["trials"]
                  if t["status"] == "measured" and before.get(key(t), {}).get("status") == "measured")
print(f"finalists differ by at most {differences[-1][0]:.2%} of {len(differences)}; all {len(measured)} measured: median "
      f"{measured[len(measured) // 2]:.2%}, 95th percentile {measured[len(measured) * 95 // 100]:.2%}, most {measured[-1]:.2%}")
bad = bad or differences[-1][0] > 0.01
print(f"seconds: {honest['seconds']:.1f} without, {everyone['seconds']:.1f} with the killers")
sys.exit(bad)
PYTHON
