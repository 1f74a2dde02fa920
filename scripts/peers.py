#!/usr/bin/env python3
"""Times kernels of PyTorch and Triton beside ours: the same shapes, the same GPU, one run.

First ours, before PyTorch touches the GPU: the best known configuration is timed anew into a database of this run, or
where none is known all are. Then the peers, timed as ours are: cold, each launch of a CUDA graph on the next of copies
that total three times the last-level cache and at least 256 MB; the median of the replays. The ratio is their time over
ours. What is not installed or does not run is left out and said so.

  scripts/peers.py                                    # every family at its usual shapes
  scripts/peers.py --kernel gemv_f16 --shape 4096x4096
  scripts/peers.py --kernel gemv_q4 --regime dependent --json
"""
import argparse
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
import typing

GEMV_SHAPES = ["4096x4096", "14336x4096", "4096x14336", "8192x8192", "28672x8192"]
SHAPES = {
    "gemv_f16": GEMV_SHAPES,
    "gemv_bf16": GEMV_SHAPES,
    "gemv_f32": ["4096x4096", "8192x8192"],
    "gemv_q4": GEMV_SHAPES,
    "gemv_q8": GEMV_SHAPES,
    "gemv_fp8": GEMV_SHAPES,
    "softmax_f16": ["8192x8192", "4096x32768", "1024x131072", "64x151936", "1x151936"],
    "rmsnorm_f16": ["8192x4096", "1x4096"],
}
REPLAYS = 15
GRAPH_US = 1000  # the events around a graph are then under one percent of it
MOST_LAUNCHES = 2048

torch = triton = tl = F = None  # imported when ours are done


@dataclasses.dataclass
class Peer:
    name: str
    launch: typing.Callable  # of one copy
    copies: list


# --- ours ------------------------------------------------------------------------------------------------------------


def tuner(options, *words):
    return subprocess.run([options.tuner, *words], capture_output=True, text=True)


def best(options, kernel, shape, database):
    """The exact answer of this regime, or None."""
    words = ["best", "--kernel", kernel, "--shape", shape, "--regime", options.regime, "--require", "exact", "--json"]
    answer = tuner(options, *words, *(["--db", database] if database else []))
    if answer.returncode != 0:
        return None
    found = json.loads(answer.stdout)["results"][0]
    return found if found["regime"] == options.regime else None


def sweep_text(options, wanted):
    """A sweep file: of each problem the known configuration alone, or all where none is known."""
    text = f"tuner: 1\nregime: {options.regime}\nkernels:\n"
    for kernel, shape in wanted:
        text += f"  - kernel: {kernel}\n    shapes: [{shape}]\n"
        known = None if options.search else best(options, kernel, shape, options.db)
        if known:
            text += f"    params: {json.dumps({name: [value] for name, value in known['params'].items()})}\n"
    return text


def measure_ours(options, report):
    """(kernel, shape) -> microseconds, measured now."""
    wanted = [(kernel, shape) for kernel in options.kernel or SHAPES for shape in options.shape or SHAPES[kernel]]
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        path, database = os.path.join(folder, "peers.yaml"), os.path.join(folder, "peers.db")
        with open(path, "w", encoding="utf-8") as file:
            file.write(sweep_text(options, wanted))
        swept = tuner(options, "sweep", path, "--db", database, "--quiet", *(["--shared"] if options.shared else []))
        if swept.returncode != 0:
            said = swept.stderr.strip().splitlines()
            report.left_out("ours", said[0] if said else f"tuner sweep: exit {swept.returncode}")
        for kernel, shape in wanted if os.path.exists(database) else []:
            answer = best(options, kernel, shape, database)
            if answer is not None and answer["layer"] == "user":
                times[kernel, shape] = answer["time_us"]
            elif swept.returncode == 0:
                report.left_out(f"{kernel} {shape}", "ours was not timed")
    return times


# --- theirs ----------------------------------------------------------------------------------------------------------


def import_peers(report):
    """False where there is no PyTorch with a GPU."""
    global torch, F
    try:
        import torch as found
        import torch.nn.functional as functional
    except ImportError:
        report.left_out("PyTorch", "not installed")
        return False
    torch, F = found, functional
    if not torch.cuda.is_available():
        report.left_out("PyTorch", "it finds no GPU")
        return False
    try:
        define_triton_kernels()
    except ImportError:
        report.left_out("Triton", "not installed")
    return True


def define_triton_kernels():
    global triton, tl, triton_gemv_kernel, triton_softmax_kernel
    import triton as found
    import triton.language as language

    triton, tl = found, language

    @triton.jit
    def triton_gemv_kernel(a, x, y, columns, rows_of: tl.constexpr, wide: tl.constexpr):
        rows = (tl.program_id(0) * rows_of + tl.arange(0, rows_of)).to(tl.int64)
        total = tl.zeros((rows_of, wide), tl.float32)
        for first in range(0, columns, wide):
            at = first + tl.arange(0, wide)
            inside = at < columns
            part = tl.load(a + rows[:, None] * columns + at[None, :], mask=inside[None, :], other=0)
            total += part.to(tl.float32) * tl.load(x + at, mask=inside, other=0).to(tl.float32)[None, :]
        tl.store(y + rows, tl.sum(total, 1).to(y.dtype.element_ty))

    @triton.jit
    def triton_softmax_kernel(x, y, columns, wide: tl.constexpr):
        row = tl.program_id(0).to(tl.int64) * columns
        top = tl.full((wide,), -float("inf"), tl.float32)
        total = tl.zeros((wide,), tl.float32)
        for first in range(0, columns, wide):
            at = first + tl.arange(0, wide)
            value = tl.load(x + row + at, mask=at < columns, other=-float("inf")).to(tl.float32)
            higher = tl.maximum(top, value)
            kept = tl.where(top == -float("inf"), 0.0, tl.exp(top - higher))
            total = total * kept + tl.where(value == -float("inf"), 0.0, tl.exp(value - higher))
            top = higher
        highest = tl.max(top, 0)
        total = tl.sum(tl.where(top == -float("inf"), 0.0, total * tl.exp(top - highest)), 0)
        for first in range(0, columns, wide):
            at = first + tl.arange(0, wide)
            value = tl.load(x + row + at, mask=at < columns, other=0).to(tl.float32)
            tl.store(y + row + at, (tl.exp(value - highest) / total).to(y.dtype.element_ty), mask=at < columns)


def rotating(*tensors):
    """Copies of all of them together that no cache holds when their turn comes again."""
    wanted = max(3 * torch.cuda.get_device_properties(0).L2_cache_size, 256 << 20)
    count = max(2, min(512, -(-wanted // sum(tensor.nbytes for tensor in tensors))))
    return [tensors] + [tuple(tensor.clone() for tensor in tensors) for _ in range(count - 1)]


def replay_us(launch, copies, launches, replays):
    """Of one launch: a graph of `launches` on one copy after the other, replay by replay."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for copy in copies[:3]:
            launch(*copy)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for i in range(launches):
            launch(*copies[i % len(copies)])
    graph.replay()
    torch.cuda.synchronize()
    samples = []
    for _ in range(replays):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end) * 1e3 / launches)
    return samples


def time_us(peer):
    """The median time of a launch, microseconds; its graphs are whole rounds of the copies."""
    copies = len(peer.copies)
    rough = min(replay_us(peer.launch, peer.copies, copies, 2))
    rounds = max(1, min(-(-GRAPH_US // max(1, round(rough * copies))), MOST_LAUNCHES // copies))
    return statistics.median(replay_us(peer.launch, peer.copies, copies * rounds, REPLAYS))


def check(name, got, wanted):
    least = 1e-3 * wanted.abs().max().item()
    worst = ((got.float() - wanted.float()).abs() / wanted.float().abs().clamp(min=least)).max().item()
    if not worst < 0.05:
        raise RuntimeError(f"{name} is wrong by {worst:.3g}")


def gemv_peers(rows, columns, dtype):
    """Products with weights of `dtype`."""
    weights = rotating(torch.randn(rows, columns, device="cuda", dtype=dtype))
    x = torch.randn(columns, device="cuda", dtype=dtype)
    yield Peer("torch.mv", lambda a: torch.mv(a, x), weights)
    yield Peer("F.linear", lambda a: F.linear(x[None], a), weights)
    if triton is None:
        return
    y = torch.empty(rows, device="cuda", dtype=dtype)
    for rows_of, wide, warps in ((1, 2048, 4), (2, 1024, 4), (4, 512, 4), (8, 512, 8)):
        if rows % rows_of:
            continue

        def launch(a, rows_of=rows_of, wide=wide, warps=warps):
            triton_gemv_kernel[(rows // rows_of,)](a, x, y, columns, rows_of, wide, num_warps=warps)

        launch(*weights[0])
        check("the Triton gemv", y, torch.mv(weights[0][0].double(), x.double()))
        yield Peer(f"triton {rows_of}x{wide}", launch, weights)


def int4_peers(rows, columns):
    """Weights of four bits, groups of 128 with scale and zero, x of bf16."""
    group = 128
    codes = torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8, device="cuda")
    scales = torch.randn(columns // group, rows, 2, device="cuda", dtype=torch.bfloat16)
    x = torch.randn(1, columns, device="cuda", dtype=torch.bfloat16)
    packed = rotating(torch.ops.aten._convert_weight_to_int4pack(codes, 8), scales)
    yield Peer("tinygemm", lambda w, s: torch.ops.aten._weight_int4pack_mm(x, w, group, s), packed)


def softmax_peers(rows, columns):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float16)
    copies = rotating(x, torch.empty_like(x))
    yield Peer("torch.softmax", lambda x, y: torch._softmax(x, -1, False, out=y), copies)
    if triton is None:
        return
    for wide, warps in ((2048, 8), (4096, 8), (8192, 16)):

        def launch(x, y, wide=wide, warps=warps):
            triton_softmax_kernel[(rows,)](x, y, columns, wide, num_warps=warps)

        launch(*copies[0])
        check("the Triton softmax", copies[0][1], torch.softmax(copies[0][0].float(), -1))
        yield Peer(f"triton {wide}", launch, copies)


def rmsnorm_peers(rows, columns):
    inputs = rotating(torch.randn(rows, columns, device="cuda", dtype=torch.float16))
    weight = torch.randn(columns, device="cuda", dtype=torch.float16)
    yield Peer("F.rms_norm", lambda x: F.rms_norm(x, (columns,), weight), inputs)


def peers_of(kernel, rows, columns):
    if kernel == "gemv_q4":
        return int4_peers(rows, columns)
    if kernel == "softmax_f16":
        return softmax_peers(rows, columns)
    if kernel == "rmsnorm_f16":
        return rmsnorm_peers(rows, columns)
    dtypes = {"gemv_bf16": torch.bfloat16, "gemv_f32": torch.float32}  # q8 and fp8 beside 16-bit weights
    return gemv_peers(rows, columns, dtypes.get(kernel, torch.float16))


# --- beside each other -----------------------------------------------------------------------------------------------


class Report:
    def __init__(self, regime, as_json):
        self.as_json = as_json
        self.document = {"schema": 1, "regime": regime, "rows": [], "left_out": []}

    def text(self, line):
        if not self.as_json:
            print(line, flush=True)

    def left_out(self, what, why):
        self.document["left_out"].append({"what": what, "why": why})
        self.text(f"{what}: {why}")

    def head(self):
        self.document |= {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
                          "triton": triton.__version__ if triton else None}
        self.text(f"{self.document['gpu']}, PyTorch {torch.__version__}, "
                  f"{'Triton ' + triton.__version__ if triton else 'no Triton'}; ours in the {self.document['regime']} regime")
        self.text(f"{'kernel':12} {'shape':>12} {'ours us':>10} {'peer':>16} {'its us':>10} {'ratio':>8}")

    def row(self, kernel, shape, ours, peer, us):
        self.document["rows"].append({"kernel": kernel, "shape": shape, "ours_us": ours, "peer": peer, "peer_us": us,
                                      "ratio": us / ours})
        self.text(f"{kernel:12} {shape:>12} {ours:10.2f} {peer:>16} {us:10.2f} {us / ours:8.2f}")


def measure_peers(kernel, shape, ours, report):
    rows, columns = (int(part) for part in shape.split("x"))
    try:
        for peer in peers_of(kernel, rows, columns):
            report.row(kernel, shape, ours, peer.name, time_us(peer))
    except (RuntimeError, AttributeError, TypeError) as failure:  # what this PyTorch lacks, or what memory does not hold
        report.left_out(f"{kernel} {shape}", str(failure).splitlines()[0])
    torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuner", default="tuner", help="the binary (default: that in PATH)")
    parser.add_argument("--db", help="where the best known configurations are looked for (default: tuner's own)")
    parser.add_argument("--kernel", action="append", choices=sorted(SHAPES), help="one of ours; repeatable (default: all)")
    parser.add_argument("--shape", action="append", help="ROWSxCOLUMNS; repeatable (default: the usual ones)")
    parser.add_argument("--regime", default="plain", choices=["plain", "dependent"], help="of ours (default: plain)")
    parser.add_argument("--search", action="store_true", help="sweep ours in full, whatever is known")
    parser.add_argument("--shared", action="store_true", help="although others use the GPU")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args()
    report = Report(options.regime, options.json)
    ours = measure_ours(options, report)
    if ours and import_peers(report):
        report.head()
        for (kernel, shape), us in ours.items():
            measure_peers(kernel, shape, us, report)
    if options.json:
        print(json.dumps(report.document, indent=1))
    return 0 if report.document["rows"] else 1


if __name__ == "__main__":
    sys.exit(main())
