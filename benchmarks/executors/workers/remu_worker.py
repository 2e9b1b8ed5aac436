"""Carries dispatches out on remu (gfx1100): `remu_worker.py LIBREMU`.

remu puts the arguments' pointer into s[0:1] and the block's indices, as many as its grid has dimensions, into the
registers up to s15. Where a kernel wants them elsewhere, moves before its first instruction bring them there. Its waves
stop at no more than one barrier: a kernel that may come to a second one is unknown to it.
"""

import ctypes
import os
import struct
import sys

from wire import PRINTED, UnknownError, serve

BARRIER, FIRST_TEMPORARY = 0xBFBD0000, 100
remu = ctypes.CDLL(sys.argv[1])
remu.run_asm.argtypes = [ctypes.c_void_p, *[ctypes.c_uint32] * 7, ctypes.c_void_p]
_kept = []


def move(target, source):
    """S_MOV_B32 of scalar registers."""
    return 0xBE800000 | target << 16 | source


def placed(grid, wanted, first):
    """The moves that bring the block's indices from where remu has them to where the kernel reads them."""
    dimensions = 3 if grid[1] != 1 and grid[2] != 1 else 2 if grid[1] != 1 else 1
    theirs = [16 - dimensions + k if k < dimensions else None for k in range(3)]
    ours = [k for k in range(3) if wanted[k]]
    moves = [(FIRST_TEMPORARY + k, 128 if theirs[k] is None else theirs[k]) for k in ours]  # 128: the constant 0
    moves += [(first + n, FIRST_TEMPORARY + k) for n, k in enumerate(ours)]
    if [theirs[k] for k in ours] == [first + n for n in range(len(ours))]:
        return []
    return [move(*one) for one in moves]


def carry_out(asked):
    """One dispatch."""
    words = list(struct.unpack(f"<{asked['code_bytes'] // 4}I", ctypes.string_at(asked["entry"], asked["code_bytes"])))
    given, count = asked["user_sgprs"], len(asked["user_sgprs"])
    pointer = given[0] | given[1] << 32 if count > 1 else 0
    if asked["wave_size"] != 32:
        raise UnknownError("waves of 64")
    if any(given) and pointer != asked["arguments"]:
        raise UnknownError("the arguments' pointer elsewhere than in s[0:1]")
    if asked["grid"][2] != 1 and asked["grid"][1] == 1:
        raise UnknownError("a grid of x and z")
    barriers = [k for k, word in enumerate(words) if word == BARRIER]
    ahead = words[barriers[0] :] if barriers else []
    backwards = any(word >> 23 == 0x17F and 32 <= word >> 16 & 127 <= 38 and word & 0x8000 for word in ahead)
    if len(barriers) > 1 or backwards:
        raise UnknownError("a second barrier")
    code = placed(asked["grid"], asked["block_indices"], count) + words
    packed = ctypes.create_string_buffer(struct.pack(f"<{len(code)}I", *code))
    _kept[:] = [packed]
    found = remu.run_asm(ctypes.addressof(packed), 4 * len(code), *asked["grid"], *asked["block"], asked["arguments"])
    if found:  # it has printed the instruction's first word
        raise UnknownError(f"word {os.pread(PRINTED, os.fstat(PRINTED).st_size, 0).split()[-1].decode()}")


serve(carry_out)
