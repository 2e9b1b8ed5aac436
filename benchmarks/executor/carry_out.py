"""Carries prepared launches out, in a process of its own, by whichever version of the library is on its path.

    PYTHONPATH=CHECKOUT python carry_out.py LAUNCHES

LAUNCHES is a pickle: name → (code object, symbol, grid, block, arguments).  Each line printed is a name and the CPU
seconds of `execute` alone.  Nothing else of the library is used, so that old versions can be asked too.
"""

import pickle
import sys
import time
from pathlib import Path

from layoutalg.errors import DeviceError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute


def main() -> None:
    """Times each launch once."""
    for name, (payload, symbol, grid, block, arguments) in pickle.loads(Path(sys.argv[1]).read_bytes()).items():
        try:
            program = decode_kernel(read_kernels(payload)[symbol])
            start = time.process_time()
            execute(program, grid, block, arguments, step_limit=10**9)
            print(name, time.process_time() - start, flush=True)
        except DeviceError as error:  # of a version that lacks something
            print(f"{name}: {error}", file=sys.stderr)


main()
