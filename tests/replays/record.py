#!/usr/bin/env python3
"""Records the sweeps that strategies are compared on: tests/replays/record.py TUNER FOLDER [NAME...]

Shipped manifests are kept small: constraints leave out what is seldom good. A search needs something to find, so they
are widened here: more values, fewer constraints. The widened manifests go to FOLDER/kernels, the recordings to
FOLDER; what is slow, spills or does not compile is in them, as in any space that nobody has thinned out by hand.
Needs the GPU that is recorded. With --dry-run only the sizes are told.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What is searched of kernels whose first stages are known to be slow.
VARIANTS = {"gemv_f16": "[vec, warp, ring]", "matmul_f16": "[tensor]", "scan_f32": "[single_pass, shuffle]",
            "reduce_f32": "[vectorised, shuffle]", "softmax_f16": "[kept, cooperative, split, online]",
            "rmsnorm_f16": "[kept, reread]"}

# By name: kernel, shape, values of parameters, and what is said of the constraints that go: those that are a matter of
# experience, not of what can be launched. Patterns, so that a manifest may be reworded.
NARROW = r"narrow loads are tried|plain loads are tried|L2 hint is tried"
ROWS = r"more than the row needs|plain stores are tried"
SPACES = {
    "gemv_f16_1024x4096": ("gemv_f16", "1024x4096", {}, NARROW),
    "gemv_f16_28672x8192": ("gemv_f16", "28672x8192", {}, NARROW),
    "gemv_q4_14336x4096": ("gemv_q4", "14336x4096", {}, r"are tried|is tried"),
    "softmax_f16_4096x32768": ("softmax_f16", "4096x32768", {}, ROWS + r"|hints are tried|little stays in L2"),
    "rmsnorm_f16_8192x8192": ("rmsnorm_f16", "8192x8192", {}, ROWS),
    "transpose_f32_8192x8192": ("transpose_f32", "8192x8192", {
        "tile": "[16, 32, 48, 64, 80, 96]", "tile_rows": "[1, 2, 4, 6, 8, 12, 16, 24, 32, 48]"},
        r"smaller blocks do not|more values do not"),
    "matmul_f16_2048": ("matmul_f16", "2048x2048x2048", {
        "tile_m": "[32, 64, 128, 256]", "tile_n": "[64, 128, 256]", "tile_k": "[16, 32, 64]",
        "warp_m": "[16, 32, 64, 128]", "warp_n": "[16, 32, 64, 128]", "stages": "[2, 3, 4, 5]", "group": "[1, 8]"},
        r"warps a block|fewer elements a warp|fewer bytes on their way"),
    "scan_f32_67108864": ("scan_f32", "67108864", {
        "items": "[4, 8, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 76, 96]"},
        r"fewer bytes under way|the others are tried|windows are tried"),
    "reduce_f32_67108864": ("reduce_f32", "67108864", {
        "block_size": "[32, 64, 96, 128, 192, 256, 384, 512, 768, 1024]", "unroll": "[1, 2, 3, 4, 6, 8, 12, 16]",
        "blocks_per_sm": "[0, 1, 2, 3, 4, 6, 8, 12, 16, 32]"}, r"stages before are tried|fewer threads do not hide"),
}

# What stands in no shipped manifest: behind a key of it.
ADDED = {"transpose_f32": {
    "params:": "  registers: [0, 16, 32, 64]   # of a thread, at most; 0: as many as it takes",
    "where:": "  - {expr: variant != swizzled || tile == pow2(log2(tile)), why: places change within powers of two}\n"
              "  - {expr: tile % tile_rows == 0, why: a tile has whole passes}",
    "dims: [R, C]": "options: [{option: --maxrregcount, value: registers, when: registers > 0}]"}}


def only(pattern, replacement, text, what):
    """Replaced once; that it does not stand there once means that the shipped manifest has changed."""
    text, count = re.subn(pattern, replacement, text, flags=re.M)
    if count != 1:
        sys.exit(f"error: {what}: found {count} times\n  hint: tests/replays/record.py has to follow the manifest")
    return text


def widened(kernel, values, dropped):
    text = (ROOT / "kernel_templates" / f"{kernel}.yaml").read_text()
    text, count = re.subn(rf"^  - \{{expr: .*, why: .*(?:{dropped}).*\}}\n", "", text, flags=re.M)
    if count == 0:
        sys.exit(f"error: {kernel}: no constraint says '{dropped}'\n  hint: tests/replays/record.py has to follow it")
    for name, numbers in values.items():
        text = only(rf"^(  {name}: (?:\{{values: )?)\[[^]]*\]", rf"\g<1>{numbers}", text, f"{kernel}: {name}")
    for key, lines in ADDED.get(kernel, {}).items():
        text = only(rf"^{re.escape(key)}$", f"{key}\n{lines}", text, f"{kernel}: {key}")
    return text


def write_kernels(folder, names):
    """The same folder layout as the shipped one, so that sources and headers are found beside the manifests."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in (ROOT / "kernel_templates").iterdir():
        link = folder / file.name
        if not link.exists() and (file.is_dir() or file.suffix in (".cu", ".cuh")):
            link.symlink_to(file)
    for name in names:
        kernel, _, values, dropped = SPACES[name]
        text = only(rf"^kernel: {kernel}$", f"kernel: wide_{kernel}", widened(kernel, values, dropped), kernel)
        text = re.sub(r"^baselines: .*\n", "", text, flags=re.M)
        (folder / f"wide_{kernel}.yaml").write_text(text)


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: tests/replays/record.py TUNER FOLDER [NAME...] [--dry-run]")
    tuner, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    dry = "--dry-run" in sys.argv
    names = [word for word in sys.argv[3:] if word != "--dry-run"] or list(SPACES)
    write_kernels(folder / "kernels", names)
    place = ["--kernels", str(folder / "kernels"), "--db", str(folder / "recorded.db")]
    sweep = folder / "wide.yaml"
    rows = ""
    for kernel, shape, _, _ in (SPACES[name] for name in names):
        params = f", params: {{variant: {VARIANTS[kernel]}}}" if kernel in VARIANTS else ""
        rows += f"  - {{kernel: wide_{kernel}, shapes: [\"{shape}\"]{params}}}\n"
    sweep.write_text("tuner: 1\ngpu: {arch: sm_90}\nkernels:\n" + rows)
    subprocess.run([tuner, "sweep", str(sweep), *place] + (["--dry-run"] if dry else []), check=True)
    for name in [] if dry else names:
        kernel, shape, _, _ = SPACES[name]
        subprocess.run([tuner, "export", "--format", "replay", "--kernel", f"wide_{kernel}", "--shape", shape,
                        "-o", str(folder / f"{name}.json"), *place], check=True)


main()
