"""Carries dispatches out on tinygrad's emulator (`test/mockgpu/amd/emu.py`): `tinygrad_worker.py CHECKOUT`.

Memory is this process's own, at the same addresses, as the emulator has it: an access outside it ends the process.
"""

import os
import re
import sys

sys.path.insert(0, sys.argv[1])
os.environ.setdefault("DEV", "CPU:LLVM")  # LLVM's library makes the code of each instruction
os.environ.setdefault("CC", os.path.join(os.path.dirname(__file__), "cc"))  # a few helpers are made by a compiler
os.environ["PYTHON"] = sys.executable

from test.mockgpu.amd import emu
from wire import UnknownError, serve

ARCHITECTURES = {"gfx90a": "cdna", "gfx942": "cdna", "gfx950": "cdna", "gfx1100": "rdna3", "gfx1201": "rdna4"}


def carry_out(asked):
    """One dispatch; what the emulator cannot decode or compile is unknown to it."""
    if asked["wave_size"] != (64 if ARCHITECTURES[asked["target"]] == "cdna" else 32):
        raise UnknownError(f"waves of {asked['wave_size']}")
    try:
        emu.run_asm(asked["entry"], asked["code_bytes"], *asked["grid"], *asked["block"], asked["arguments"],
                    asked["rsrc2"], asked["scratch_bytes"], ARCHITECTURES[asked["target"]],
                    asked["user_sgprs"])  # fmt: skip
    except (RuntimeError, ValueError) as error:
        found = re.search(r"(?:\[emu\] Failed to compile |(?=unknown \w+ format))(.*)", str(error), re.DOTALL)
        if not found:
            raise
        raise UnknownError(" ".join(found[1].split())) from error


serve(carry_out)
