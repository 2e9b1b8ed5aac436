"""Kernels written in assembly, made into code objects by the compiler that the wheel brings."""

import functools
import subprocess
import tempfile
from pathlib import Path

from layoutalg.device.compilers import choose_compiler, output_name
from layoutalg.hazards.flow import ControlFlow
from layoutalg.isa.container.binary import read_kernels

TEXT = """.amdgcn_target "amdgcn-amd-amdhsa--{target}"
.text
.globl k
.p2align 8
.type k,@function
k:
{body}
  s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr {vgprs}
  .amdhsa_next_free_sgpr 40
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_group_segment_fixed_size {lds}
  {directives}
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{target}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: {kernargs}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: {wave}
    .sgpr_count: 40
    .vgpr_count: {vgprs}
    .max_flat_workgroup_size: 256
    .args: []
...
.end_amdgpu_metadata
"""


@functools.cache
def assembled(body, target="gfx942", *, lds=1024, vgprs=64, kernargs=0, directives=""):
    """The code object of the kernel `k` with this body; `directives` are more lines of its descriptor."""
    wave = 32 if target.startswith("gfx1") else 64
    if target not in ("gfx906", "gfx908") and target.startswith("gfx9"):
        directives += f"\n  .amdhsa_accum_offset {vgprs // 2}"
    text = TEXT.format(body=body, target=target, lds=lds, vgprs=vgprs, kernargs=kernargs, wave=wave,
                       directives=directives)  # fmt: skip
    _, *steps = choose_compiler(target).steps(target, 3)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernel.s").write_text(text)
        for step in steps:
            subprocess.run(step, cwd=folder, check=True)
        return (Path(folder) / output_name(target)).read_bytes()


def flow(body, target="gfx942", **how):
    """Its graph."""
    return ControlFlow.of(read_kernels(assembled(body, target, **how))["k"])
