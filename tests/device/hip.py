"""HIP sources that are compiled with the header that stands in for ROCm's, and carried out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from layoutalg.device import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute

Array = npt.NDArray[Any]

BLOCK = 256

#: Those that hip_fp16.h, hip_fp8.h and the rest are compiled for: CDNA 2 to 4, RDNA 3 and 4.
TARGETS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")


def run(header: str, parameters: str, body: str, arrays: Sequence[Array], lanes: int, target: str) -> list[Array]:
    """What `lanes` threads, each of which is `i`, leave in the arrays."""
    source = f"#include <hip/hip_runtime.h>\n#include <hip/{header}.h>\n"
    source += f'extern "C" __global__ void k({parameters}) {{ int i = blockIdx.x * {BLOCK} + threadIdx.x; {body} }}\n'
    code = decode_kernel(read_kernels(compile_source(source, target).payload)["k"])
    return list(execute(code, [lanes // BLOCK], [BLOCK], list(arrays)).outputs)


def values(
    header: str, inputs: Mapping[str, tuple[str, Array]], result: str, dtype: str, calls: Sequence[str], target: str
) -> dict[str, Array]:
    """Of each call, what it gives of the inputs (name → C++ type, elements), element by element."""
    lanes = len(next(iter(inputs.values()))[1])
    parameters = "".join(f"const {kind}* {name}_, " for name, (kind, _) in inputs.items()) + f"{result}* o"
    body = "".join(f"auto {name} = {name}_[i]; " for name in inputs)
    body += "".join(f"o[{k * lanes} + i] = {call}; " for k, call in enumerate(calls))
    given = [elements for _, elements in inputs.values()]
    *_, found = run(header, parameters, body, [*given, np.zeros((len(calls), lanes), dtype)], lanes, target)
    return dict(zip(calls, found, strict=True))
