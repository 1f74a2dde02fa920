#!/usr/bin/env bash
# check_resume_on_gpu.sh TUNER [KERNELS]: sweeps of gemv_f16 4096x4096 on the GPU that is here, ended in their midst, by
# Ctrl-C and by SIGKILL in turn, and gone on with: each ends with the winner of a whole one, or with one that is tied with
# it. With KERNELS (tests/kernels) also one with an endless loop among its candidates, which is ended once that has cost
# its time: it is not run again. Under a minute; exits 1 where anything differs. Needs python3.
set -euo pipefail
tuner=$(readlink -f "$1")
kernels=${2:+$(readlink -f "$2")}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TUNER_CACHE=$folder/cache
python3 - "$tuner" "$folder" "$kernels" <<'PYTHON'
import json, os, signal, sqlite3, subprocess, sys, time

tuner, folder, kernels = sys.argv[1:]
bad = False


def sweep(words, database):
    return [tuner, "sweep", *words, "--db", f"{folder}/{database}", "--json", "--quiet"]


def whole(words, database):
    begin = time.monotonic()
    done = subprocess.run(sweep(words, database), stdout=subprocess.PIPE, check=True)
    problems = json.loads(done.stdout)["problems"]
    return problems[0] if problems else None, time.monotonic() - begin  # None: it had been finished


def configs(problem, ids):
    return [json.dumps(t["params"], sort_keys=True) for i in ids for t in problem["trials"] if t["trial"] == i]


def rows(database, sql):
    try:
        with sqlite3.connect(f"file:{folder}/{database}?mode=ro", uri=True, timeout=10) as db:
            return db.execute(sql).fetchall()
    except sqlite3.OperationalError:  # not made yet
        return []


def say(good, text):
    global bad
    bad = bad or not good
    print("ok  " if good else "BAD ", text)


words = ["--kernel", "gemv_f16", "--shape", "4096x4096"]
whole(words, "cold.db")  # compiles
reference, length = whole(words, "whole.db")
tied = configs(reference, reference["tied"])
print(f"whole: {length:.1f} s, {len(tied)} tied, {tied[0]}")
for n, part in enumerate((0.5, 0.65, 0.8, 0.92)):
    database = f"part{n}.db"
    running = subprocess.Popen(sweep(words, database), stdout=subprocess.DEVNULL)
    time.sleep(part * length)
    running.send_signal((signal.SIGINT, signal.SIGKILL)[n % 2])
    running.wait()
    verdicts = rows(database, "SELECT count(*) FROM trials WHERE status IN ('verified', 'measured', 'rejected')")
    problem, took = whole(words, database)
    if problem is None:
        print(f"     finished before it was ended after {part:.0%}")
        continue
    winner = configs(problem, [problem["winner"]])[0]
    same = winner in tied or tied[0] in configs(problem, problem["tied"])
    say(same, f"ended after {part:.0%} with {verdicts[0][0] if verdicts else 0} verdicts, gone on in {took:.1f} s: "
        f"{'the same winner' if winner == tied[0] else 'tied with it' if same else 'NOT the same'}")

if kernels:
    with open(f"{folder}/endless.yaml", "w") as file:
        file.write("tuner: 1\nkernels: [{kernel: killers, params: {killer: [none, endless_loop], unroll: [1]}}]\n"
                   "shapes: [4096x4096]\n")
    words = [f"{folder}/endless.yaml", "--kernels", kernels]
    begin = time.monotonic()
    running = subprocess.Popen(sweep(words, "endless.db"), stdout=subprocess.DEVNULL)
    hung = "SELECT id FROM trials WHERE reason = 'timeout'"
    while running.poll() is None and not rows("endless.db", hung):
        time.sleep(0.02)
    cost = time.monotonic() - begin
    running.kill()
    running.wait()
    first = rows("endless.db", hung)
    problem, took = whole(words, "endless.db")
    loops = [t for t in (problem or {"trials": []})["trials"] if t["params"]["killer"] == "endless_loop"]
    again = [t for t in loops if t["reason"] != "timeout" or [(t["trial"],)] != first]
    say(bool(loops) and not again, f"an endless loop: ended after {cost:.1f} s, gone on in {took:.1f} s without running it again")
sys.exit(bad)
PYTHON
