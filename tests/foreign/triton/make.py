"""Compiles `kernels.py` for five targets: `python tests/foreign/triton/make.py FOLDER`, where Triton is installed.

Of each build there is a code object, `NAME-TARGET.co`, and its launch file, `NAME-TARGET.toml`: how many threads and
how much dynamic LDS Triton wants differs by target.  No GPU is needed; no path of the machine is left in the files.
"""

import os
import sys
from pathlib import Path

os.environ |= {"TRITON_DISABLE_LINE_INFO": "1", "TRITON_DEFAULT_FP_FUSION": "1"}

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import kernels

TARGETS = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32}  # lanes of a wave
WAVES = 4

VECTOR, MATRIX, TURNED = (["n"], [1]), (["M", "N"], ["N", 1]), (["N", "M"], ["M", 1])
HEADS = (["H", "N", 32], ["N*32", 32, 1])

#: Kernel → its signature, its constants, its tensors (dtype, lengths, strides), symbols, grid, arguments.
KERNELS = {
    "add": (
        {"x": "*fp32", "y": "*fp32", "o": "*fp32", "n": "i32"}, {"BLOCK": 256},
        dict.fromkeys("xyo", ("f32", *VECTOR)), "n", ["(n + 255) // 256", 1, 1], ["x", "y", "o", "n"],
    ),
    "transpose": (
        {"x": "*fp32", "o": "*fp32", "M": "i32", "N": "i32"}, {"BLOCK": 32},
        {"x": ("f32", *MATRIX), "o": ("f32", *TURNED)}, "MN",
        ["(M + 31) // 32", "(N + 31) // 32", 1], ["x", "o", "M", "N"],
    ),
    "row_sum": (
        {"x": "*fp32", "o": "*fp32", "N": "i32"}, {"BLOCK": 256},
        {"x": ("f32", *MATRIX), "o": ("f32", ["M"], [1])}, "MN", ["M", 1, 1], ["x", "o", "N"],
    ),
    "softmax": (
        {"x": "*fp32", "o": "*fp32", "N": "i32"}, {"BLOCK": 512},
        {"x": ("f32", *MATRIX), "o": ("f32", *MATRIX)}, "MN", ["M", 1, 1], ["x", "o", "N"],
    ),
    "matmul": (
        {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32", "K": "i32"},
        {"TM": 64, "TN": 64, "TK": 32, "GROUP": 8},
        {"a": ("f16", ["M", "K"], ["K", 1]), "b": ("f16", ["K", "N"], ["N", 1]), "c": ("f16", *MATRIX)}, "MNK",
        ["((M + 63) // 64) * ((N + 63) // 64)", 1, 1], ["a", "b", "c", "M", "N", "K"],
    ),
    "dropout": (
        {"x": "*fp32", "o": "*fp32", "n": "i32", "p": "fp32", "seed": "i32"}, {"BLOCK": 256},
        {"x": ("f32", *VECTOR), "o": ("f32", *VECTOR)}, "n", ["(n + 255) // 256", 1, 1],
        ["x", "o", "n", {"name": "p", "bytes": 4}, {"name": "seed", "bytes": 4}],
    ),
    "layer_norm": (
        {"x": "*fp32", "o": "*fp32", "gain": "*fp32", "bias": "*fp32", "N": "i32", "epsilon": "fp32"}, {"BLOCK": 256},
        {"x": ("f32", *MATRIX), "o": ("f32", *MATRIX), "gain": ("f32", ["N"], [1]), "bias": ("f32", ["N"], [1])}, "MN",
        ["M", 1, 1], ["x", "o", "gain", "bias", "N", {"name": "epsilon", "bytes": 4}],
    ),
    "attention": (
        {"q": "*fp16", "k": "*fp16", "v": "*fp16", "o": "*fp16", "N": "i32", "scale": "fp32"},
        {"TM": 64, "TN": 32, "D": 32}, dict.fromkeys("qkvo", ("f16", *HEADS)), "HN",
        ["(N + 63) // 64", "H", 1], ["q", "k", "v", "o", "N", {"name": "scale", "bytes": 4}],
    ),
}  # fmt: skip


def written(value):
    """A value in TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {written(one)}" for key, one in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(written, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


def launch_file(name, built, lanes):
    """The launch file of a build: Triton adds two pointers to scratch memory, which these kernels do not use."""
    _, _, tensors, symbols, grid, arguments = KERNELS[name]
    unused = [{"unused": True}, {"unused": True}]
    lines = [f"symbols = {written({one: {'min': 1, 'max': 8192} for one in symbols})}"]
    for tensor, (dtype, lengths, strides) in tensors.items():
        base = {"kind": "naive", "lengths": lengths, "strides": strides}
        lines += ["", "[[descriptor]]", f'name = "{tensor}"', f'dtype = "{dtype}"', f"base = {written(base)}"]
    lines += ["", "[launch]", f'kernel = "{built.metadata.name}"', f"grid = {written(grid)}"]
    lines += [f"block = [{WAVES * lanes}, 1, 1]", f"lds = {built.metadata.shared}"]
    lines += [f"arguments = {written(arguments + unused)}", f"writes = [{written('c' if name == 'matmul' else 'o')}]"]
    return "\n".join(lines) + "\n"


def main(folder):
    """Writes every build, and which Triton made it."""
    folder.mkdir(exist_ok=True)
    for name, (signature, constants, *_) in KERNELS.items():
        source = ASTSource(getattr(kernels, name), signature | dict.fromkeys(constants, "constexpr"), constants)
        for target, lanes in TARGETS.items():
            built = triton.compile(source, target=GPUTarget("hip", target, lanes), options={"num_warps": WAVES})
            (folder / f"{name}-{target}.co").write_bytes(built.asm["hsaco"])
            (folder / f"{name}-{target}.toml").write_text(launch_file(name, built, lanes))
            print(name, target, built.metadata.shared, len(built.asm["hsaco"]), flush=True)
    (folder / "VERSION").write_text(f"triton {triton.__version__}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
