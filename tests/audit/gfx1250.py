"""HIP kernels `k` of vectors of f32 and their length, compiled for gfx1250 and audited."""

from functools import cache

from layoutalg.audit.audit import Audit, audit
from layoutalg.device.compile import compile_source
from layoutalg.formats import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import MachineCode, decode_kernel

VECTOR = '[[descriptor]]\nname = "{}"\ndtype = "f32"\nbase = {{ kind = "naive", lengths = ["N"], strides = [1] }}\n'
LAUNCH = """symbols = {{ N = {{ min = 256, max = 1000192{} }} }}
{}
[launch]
kernel = "k"
grid = ["(N + 255) // 256", 1, 1]
block = [256, 1, 1]
arguments = [{}, "N"]
writes = ["{}"]
"""


@cache
def code(source: str) -> MachineCode:
    return decode_kernel(read_kernels(compile_source("#include <hip/hip_runtime.h>" + source, "gfx1250").payload)["k"])


def audited(source: str | MachineCode, names: str, computes: str = "", multiple: str = "") -> Audit:
    arguments = ", ".join(f'"{name}"' for name in names)
    text = LAUNCH.format(multiple, "".join(map(VECTOR.format, names)), arguments, names[-1])
    machine = code(source) if isinstance(source, str) else source
    return audit(machine, loads(text + (f'computes = ["{computes}"]\n' if computes else "")), 20)
