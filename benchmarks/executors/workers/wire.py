"""What every worker in Python reads and answers: see `benchmarks.executors.executors` for the other side.

A worker imports no layoutalg: it runs beside another project's code, with nothing but the standard library and numpy.
"""

import ctypes
import json
import mmap
import os
import sys

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_FIXED_NOREPLACE = 0x100000

PRINTED = os.memfd_create("printed")
"""A file of what the executor prints."""


class UnknownError(Exception):
    """The executor does not know an instruction, or cannot set a dispatch up."""


def serve(carry_out):
    """Answers dispatches until there are no more; `carry_out` does one on this process's own memory."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2 if os.environ.get("DEBUG") else PRINTED, 1)  # what the executor prints is no answer
    while line := sys.stdin.buffer.readline():
        asked = json.loads(line)
        for address, size in asked["regions"]:
            placed = _LIBC.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE,
                                mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _FIXED_NOREPLACE, -1, 0)  # fmt: skip
            if placed != address:
                raise MemoryError(f"{address:#x} is not free")
            ctypes.memmove(address, sys.stdin.buffer.read(size), size)
        try:
            carry_out(asked)
            answer, memory = {"ran": True}, [ctypes.string_at(address, size) for address, size in asked["regions"]]
        except UnknownError as error:
            answer, memory = {"unknown": str(error)}, []
        for address, size in asked["regions"]:
            _LIBC.munmap(address, size)
        answers.write(json.dumps(answer).encode() + b"\n" + b"".join(memory))
        answers.flush()
