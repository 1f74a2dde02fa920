#!/usr/bin/env python3
"""Times kernels of PyTorch and Triton beside ours: the same shapes, the same GPU, minutes apart.

Peers run as ours do: cold, each launch of a CUDA graph on the next of copies that total three times the last-level cache
and at least 256 MB; the median of the replays. Ours are swept where they are not known yet, and answered by `tuner best`.
What is not installed is skipped and said so; without PyTorch and a GPU there is nothing to do (exit 1).

  scripts/peers.py                                    # every family at its usual shapes
  scripts/peers.py --kernel gemv_f16 --shape 4096x4096
"""
import argparse
import json
import statistics
import subprocess
import sys

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

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = None
try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

if triton is not None:

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


def rotating(tensor):
    """Copies of `tensor` that no cache holds when their turn comes again."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    wanted = max(3 * cache, 256 << 20)
    count = max(2, min(512, -(-wanted // tensor.nbytes)))
    return [tensor] + [tensor.clone() for _ in range(count - 1)]


def time_us(launch, copies):
    """The median time of launch(copy), microseconds."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for copy in copies[:3]:
            launch(copy)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for copy in copies:
            launch(copy)
    graph.replay()
    torch.cuda.synchronize()
    samples = []
    for _ in range(REPLAYS):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end) * 1e3 / len(copies))
    return statistics.median(samples)


def check(name, got, wanted):
    worst = ((got.float() - wanted.float()).abs() / wanted.float().abs().clamp(min=1e-3 * wanted.abs().max().item())).max()
    if not worst < 0.05:
        raise RuntimeError(f"{name} is wrong by {worst:.3g}")


def gemv_peers(rows, columns, dtype):
    """(name, launch, copies) of products with weights of `dtype`."""
    weights = rotating(torch.randn(rows, columns, device="cuda", dtype=dtype))
    x = torch.randn(columns, device="cuda", dtype=dtype)
    yield "torch.mv", lambda a: torch.mv(a, x), weights
    yield "F.linear", lambda a: F.linear(x[None], a), weights
    if triton is None:
        return
    y = torch.empty(rows, device="cuda", dtype=dtype)
    for rows_of, wide, warps in ((1, 2048, 4), (2, 1024, 4), (4, 512, 4), (8, 512, 8)):
        if rows % rows_of:
            continue

        def launch(a, rows_of=rows_of, wide=wide, warps=warps):
            triton_gemv_kernel[(rows // rows_of,)](a, x, y, columns, rows_of, wide, num_warps=warps)

        launch(weights[0])
        check("the Triton gemv", y, torch.mv(weights[0].double(), x.double()))
        yield f"triton {rows_of}x{wide}", launch, weights


def int4_peers(rows, columns):
    group = 128
    codes = torch.randint(0, 255, (rows, columns // 2), dtype=torch.uint8, device="cuda")
    packed = rotating(torch.ops.aten._convert_weight_to_int4pack(codes, 8))
    scales = torch.randn(columns // group, rows, 2, device="cuda", dtype=torch.bfloat16)
    x = torch.randn(1, columns, device="cuda", dtype=torch.bfloat16)
    yield "tinygemm", lambda a: torch.ops.aten._weight_int4pack_mm(x, a, group, scales), packed


def softmax_peers(rows, columns):
    inputs = rotating(torch.randn(rows, columns, device="cuda", dtype=torch.float16))
    y = torch.empty_like(inputs[0])
    yield "torch.softmax", lambda x: torch._softmax(x, -1, False, out=y), inputs
    if triton is None:
        return
    for wide, warps in ((2048, 8), (4096, 8), (8192, 16)):

        def launch(x, wide=wide, warps=warps):
            triton_softmax_kernel[(rows,)](x, y, columns, wide, num_warps=warps)

        launch(inputs[0])
        check("the Triton softmax", y, torch.softmax(inputs[0].float(), -1))
        yield f"triton {wide}", launch, inputs


def rmsnorm_peers(rows, columns):
    inputs = rotating(torch.randn(rows, columns, device="cuda", dtype=torch.float16))
    weight = torch.randn(columns, device="cuda", dtype=torch.float16)
    yield "F.rms_norm", lambda x: F.rms_norm(x, (columns,), weight), inputs


def peers_of(kernel, rows, columns):
    if kernel == "gemv_q4":
        return int4_peers(rows, columns)
    if kernel == "softmax_f16":
        return softmax_peers(rows, columns)
    if kernel == "rmsnorm_f16":
        return rmsnorm_peers(rows, columns)
    dtypes = {"gemv_bf16": torch.bfloat16, "gemv_f32": torch.float32}  # q8 and fp8 beside 16-bit weights
    return gemv_peers(rows, columns, dtypes.get(kernel, torch.float16))


def ours_us(options, kernel, shape):
    """Our time, or why there is none."""
    command = [options.tuner, "--kernel", kernel, "--shape", shape] + (["--db", options.db] if options.db else [])
    command.insert(1, "sweep")
    swept = subprocess.run(command + ["--quiet"], capture_output=True, text=True)
    if swept.returncode != 0:
        return None, swept.stderr.strip().splitlines()[0] if swept.stderr.strip() else f"exit {swept.returncode}"
    command[1] = "best"
    answer = subprocess.run(command + ["--require", "exact", "--json"], capture_output=True, text=True)
    if answer.returncode != 0:
        return None, "no exact answer"
    return json.loads(answer.stdout)["results"][0]["time_us"], ""


def compare(options, kernel, shape):
    ours, why = ours_us(options, kernel, shape)
    if ours is None:
        print(f"{kernel:12} {shape:>12}  ours: {why}", flush=True)
        return
    rows, columns = (int(part) for part in shape.split("x"))
    try:
        for name, launch, copies in peers_of(kernel, rows, columns):
            us = time_us(launch, copies)
            print(f"{kernel:12} {shape:>12} {ours:10.2f} {name:>16} {us:10.2f} {us / ours:8.2f}", flush=True)
    except (RuntimeError, AttributeError) as failure:  # what this PyTorch lacks, or what does not fit the memory
        print(f"{kernel:12} {shape:>12}  skipped: {str(failure).splitlines()[0]}", flush=True)
    torch.cuda.empty_cache()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tuner", default="tuner", help="the binary (default: that in PATH)")
    parser.add_argument("--db", help="the database (default: tuner's own)")
    parser.add_argument("--kernel", action="append", choices=sorted(SHAPES), help="one of ours; repeatable (default: all)")
    parser.add_argument("--shape", action="append", help="ROWSxCOLUMNS; repeatable (default: the usual ones)")
    options = parser.parse_args()
    if torch is None or not torch.cuda.is_available():
        print("peers.py: needs PyTorch and a GPU", file=sys.stderr)
        return 1
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, " +
          (f"Triton {triton.__version__}" if triton else "no Triton"))
    print(f"{'kernel':12} {'shape':>12} {'ours us':>10} {'peer':>16} {'its us':>10} {'ratio':>8}")
    for kernel in options.kernel or SHAPES:
        for shape in options.shape or SHAPES[kernel]:
            compare(options, kernel, shape)
    return 0


if __name__ == "__main__":
    sys.exit(main())
