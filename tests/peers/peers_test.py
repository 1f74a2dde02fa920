#!/usr/bin/env python3
"""peers_test.py PEERS: the script walks through every family with a PyTorch, a Triton and a tuner that compute nothing."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PEERS = sys.argv.pop()

# Logs its words. `best` knows the plain gemv_f16 4096x4096, and in a database what was swept into it.
TUNER = r'''#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
with open(os.environ["PEERS_LOG"], "a") as log: log.write("tuner " + " ".join(w.rsplit("/", 1)[-1] for w in words) + "\n")
def after(name): return words[words.index(name) + 1] if name in words else None
if words[0] == "sweep":
    if os.environ.get("PEERS_BUSY"): sys.exit("error: the GPU is busy: python3 (pid 7)")
    import yaml
    swept = yaml.safe_load(open(words[1]))
    rows = {f'{each["kernel"]} {each["shapes"][0]}': [swept["regime"], each.get("params")] for each in swept["kernels"]}
    json.dump(rows, open(after("--db"), "w"))
    with open(os.environ["PEERS_LOG"], "a") as log: log.write("swept " + json.dumps(rows) + "\n")
    sys.exit(0)
problem, database = f'{after("--kernel")} {after("--shape")}', after("--db")
if database and os.path.exists(database):
    rows = json.load(open(database))
    if problem not in rows: sys.exit(3)
    row = {"regime": rows[problem][0], "params": {}, "layer": "user", "time_us": 0.5}
elif problem == "gemv_f16 4096x4096":
    row = {"regime": "plain", "params": {"variant": "vec", "unroll": 2}, "layer": "shipped", "time_us": 9.3}
else:
    sys.exit(3)
print(json.dumps({"schema": 1, "results": [row]}))
'''


class Peers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.log = os.path.join(self.folder.name, "log")
        self.tuner = os.path.join(self.folder.name, "tuner")
        pathlib.Path(self.tuner).write_text(TUNER)
        os.chmod(self.tuner, 0o755)

    def run_peers(self, *words, path=HERE / "fake", **environment):
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PEERS_", "PYTHON"))}
        clean |= {"PEERS_LOG": self.log, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"} | environment
        return subprocess.run([sys.executable, PEERS, "--tuner", self.tuner, *words], env=clean, text=True,
                              capture_output=True, check=False)

    def document(self, *words, code=0, **more):
        done = self.run_peers("--json", *words, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def logged(self):
        return pathlib.Path(self.log).read_text().splitlines()

    def test_every_family_has_its_peers(self):
        document = self.document()
        self.assertEqual(document["left_out"], [])
        peers = {}
        for row in document["rows"]:
            peers.setdefault((row["kernel"], row["shape"]), []).append(row["peer"])
            self.assertAlmostEqual(row["peer_us"], 1)  # the fake's clock
            self.assertAlmostEqual(row["ratio"], 2)
        gemv = ["torch.mv", "F.linear", "triton 1x2048", "triton 2x1024", "triton 4x512", "triton 8x512"]
        self.assertEqual(peers["gemv_f16", "28672x8192"], gemv)
        for shape in ("4096x4096", "14336x4096", "8192x8192", "28672x8192"):
            self.assertEqual(peers["gemv_q4", shape], ["tinygemm"])
        for shape in ("8192x8192", "4096x32768", "1024x131072", "64x151936", "1x151936"):
            self.assertEqual(peers["softmax_f16", shape], ["torch.softmax", "triton 2048", "triton 4096", "triton 8192"])
        self.assertEqual(peers["rmsnorm_f16", "8192x4096"], ["F.rms_norm"])

    # Whoever holds the GPU makes the other busy.
    def test_ours_are_done_before_pytorch_touches_the_gpu(self):
        self.document("--kernel", "gemv_f16", "--kernel", "gemv_q4")
        whose = [line.split()[0] for line in self.logged()]
        self.assertIn("torch", whose)
        self.assertNotIn("tuner", whose[whose.index("torch"):])

    def test_what_is_known_is_timed_anew_and_what_is_not_is_searched(self):
        self.document("--kernel", "gemv_f16", "--shape", "4096x4096", "--shape", "8192x8192")
        swept = [json.loads(line[6:]) for line in self.logged() if line.startswith("swept ")]
        known = {"variant": ["vec"], "unroll": [2]}
        self.assertEqual(swept, [{"gemv_f16 4096x4096": ["plain", known], "gemv_f16 8192x8192": ["plain", None]}])

    def test_of_another_regime_nothing_is_known(self):
        document = self.document("--kernel", "gemv_f16", "--shape", "4096x4096", "--regime", "dependent")
        self.assertEqual(document["regime"], "dependent")
        self.assertIn('swept {"gemv_f16 4096x4096": ["dependent", null]}', self.logged())

    def test_graphs_are_long_and_rotate(self):
        self.document("--kernel", "gemv_q4", "--shape", "4096x4096")
        # 8 MiB of codes and 0.5 of scales: 31 copies in 256 MiB; 33 rounds are a millisecond of the fake's clock. A graph
        # of one round is captured before, and each after three launches.
        self.assertEqual(sum(line == "torch launch" for line in self.logged()), 3 + 31 + 3 + 33 * 31)

    def test_what_is_missing_is_said(self):
        nothing = self.document("--kernel", "gemv_q4", path=self.folder.name, code=1)
        self.assertEqual(nothing["left_out"], [{"what": "PyTorch", "why": "not installed"}])
        no_gpu = self.document("--kernel", "gemv_q4", PEERS_NO_GPU="1", code=1)
        self.assertEqual(no_gpu["left_out"], [{"what": "PyTorch", "why": "it finds no GPU"}])
        os.symlink(HERE / "fake" / "torch", os.path.join(self.folder.name, "torch"))
        torch_alone = self.document("--kernel", "softmax_f16", "--shape", "1x151936", path=self.folder.name)
        self.assertEqual(torch_alone["left_out"], [{"what": "Triton", "why": "not installed"}])
        self.assertEqual([row["peer"] for row in torch_alone["rows"]], ["torch.softmax"])
        lacks = self.document("--kernel", "gemv_q4", "--shape", "4096x4096", PEERS_NO_INT4="1", code=1)
        self.assertEqual(lacks["left_out"], [{"what": "gemv_q4 4096x4096", "why": "no int4 here"}])

    def test_a_wrong_peer_is_no_peer(self):
        document = self.document("--kernel", "gemv_f16", "--shape", "4096x4096", PEERS_ERROR="0.2")
        self.assertEqual([row["peer"] for row in document["rows"]], ["torch.mv", "F.linear"])
        self.assertEqual(document["left_out"][0]["why"], "the Triton gemv is wrong by 0.2")

    def test_a_busy_gpu_is_said(self):
        document = self.document("--kernel", "gemv_f16", PEERS_BUSY="1", code=1)
        self.assertEqual(document["left_out"], [{"what": "ours", "why": "error: the GPU is busy: python3 (pid 7)"}])

    def test_as_text(self):
        done = self.run_peers("--kernel", "rmsnorm_f16", "--shape", "8192x4096")
        self.assertEqual(done.stdout.splitlines(), [
            "Fake GPU, PyTorch 2.0-fake, Triton 3.0-fake; ours in the plain regime",
            "kernel              shape    ours us             peer     its us    ratio",
            "rmsnorm_f16     8192x4096       0.50       F.rms_norm       1.00     2.00"])


if __name__ == "__main__":
    unittest.main()
