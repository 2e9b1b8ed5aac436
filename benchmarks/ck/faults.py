"""Faults seeded into CK's headers, one place each, and what `ck audit` says of the kernel that is compiled with it.

    python -m benchmarks.ck.faults CK [--faults …] [--seconds 120]
    python -m benchmarks.ck.faults --report

`CK` is a folder of composable_kernel. A header is copied with one place changed; the copy stands before the others. A
record for each fault goes to `build/ck/faults.jsonl`; `--report` prints the table of the last of each. Faults in GEMMs
that tests look at are theirs (`tests.ck.mutants`).
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.ck.recorded import BUILD, Record, Records, audited, parser, table
from benchmarks.foreign.audit import cpu_seconds
from layoutalg.ck.gemm import Gemm, asked
from layoutalg.ck.kernels import KernelSource, kernel_source
from layoutalg.ck.launched import Launched, gemm_source
from layoutalg.errors import DeviceError, LayoutError
from layoutalg.formats import loads
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from tests.ck.mutants import MUTANTS, SMALL, Mutant

RECORDS = Records(BUILD / "faults.jsonl", ("fault",))
TARGET = "gfx942"
NORM = "ck_tile/ops/layernorm2d/kernel/layernorm2d_fwd_kernel.hpp"
REDUCE = "ck_tile/ops/norm_reduce/block/block_norm_reduce.hpp"
ATTENTION = "ck_tile/ops/fmha/pipeline/block_fmha_pipeline_qr_ks_vs.hpp"
CONVERT = "ck_tile/ops/fmha/pipeline/block_fmha_bwd_convert_dq.hpp"
BACKWARD = "ck_tile/ops/fmha/kernel/fmha_bwd_kernel.hpp"
DOUBLE = "ck_tile/ops/gemm/pipeline/gemm_pipeline_ag_bg_cr_comp_v4.hpp"
TRANSPOSE = "ck_tile/ops/batched_transpose/kernel/batched_transpose_kernel.hpp"


@dataclass(frozen=True)
class Fault:
    """A changed header, and the kernel that is compiled with it: a name of `ck audit`, or a GEMM's tile."""

    mutant: Mutant
    kernel: str = SMALL
    pipeline: str = "compv3"
    launched: Launched = field(default_factory=Launched)

    def source(self, include: Sequence[Path]) -> KernelSource:
        """What is compiled: of a GEMM the kernel of three turns over K and more."""
        if self.kernel[0].isalpha():
            return kernel_source(self.kernel)
        gemm = Gemm.named(self.kernel, "fp16", self.mutant.layout, self.pipeline)
        return gemm_source(gemm, asked(gemm, TARGET, include), 3, self.launched)


def _of_gemm(name: str, apart: bool = False) -> Fault:
    """One that tests look at; `apart`: where it shows in strides that are no lengths alone."""
    return Fault(MUTANTS[name], MUTANTS[name].tile, launched=Launched(apart=apart))


FAULTS = {
    "epilogue: rows of C by other waves": _of_gemm("rows of C by other waves in the epilogue"),
    "partitioner: rows and columns of tiles changed over": _of_gemm("the partitioner's numbers changed over"),
    "A's K0 and K1 changed over in LDS": _of_gemm("K0 and K1 of A changed over in LDS"),
    "K: B is taken at the first depth always": _of_gemm("B is taken at the first depth always"),
    "padding lost: A's rows overlap in LDS": _of_gemm("A's rows overlap in LDS"),
    "no barrier before A and B are stored anew": _of_gemm("no barrier before A and B are stored anew"),
    "lengths: C's view has M columns": _of_gemm("C's view has M columns"),
    "stride: B's rows lie as far apart as A's": _of_gemm("B's rows lie as far apart as A's", apart=True),
    "A's window stands still once": _of_gemm("A's window stands still once"),
    "double buffer: A is stored to the one that is read": Fault(
        Mutant(DOUBLE, "LocalPrefill(a_copy_lds_window1, elementwise_As_res)",
               "LocalPrefill(a_copy_lds_window0, elementwise_As_res)"), pipeline="compv4"),
    "layernorm: padding lost": Fault(Mutant(NORM, "sequence<kPadM, kPadN>{}", "sequence<false, false>{}"),
                                     "layernorm2d_4x512"),
    "layernorm: gamma is taken at the block's row": Fault(Mutant(NORM, "make_tuple(number<Block_N>{}), {0}",
                                                                 "make_tuple(number<Block_N>{}), {iM}", nth=1),
                                                          "layernorm2d_4x512"),
    "layernorm: y is stored to by rows of two blocks": Fault(Mutant(NORM, "get_block_id() * Block_M",
                                                                    "get_block_id() / 2 * Block_M"),
                                                             "layernorm2d_4x512"),
    "layernorm: no barrier between the waves' sums": Fault(Mutant(REDUCE, "block_sync_lds();", "", nth=0),
                                                           "layernorm2d_1x2048"),
    "layernorm: the waves' sums are in one place": Fault(Mutant(REDUCE, "smem_offset = warp_id;", "smem_offset = 0;"),
                                                         "layernorm2d_1x2048"),
    "attention: keys behind the last are not masked": Fault(Mutant(ATTENTION, "if(need_perpixel_check)",
                                                                   "if(need_perpixel_check && false)"), "fmha_fwd"),
    "attention: the mask changed over": Fault(Mutant(ATTENTION, "return !variant.LogitsMask",
                                                     "return variant.LogitsMask"), "fmha_fwd"),
    "attention, backward: every second sum of dQ is left out": Fault(Mutant(CONVERT, "i_total_loops += 1;",
                                                                            "i_total_loops += 2;"),
                                                                     "fmha_bwd_convert_dq_summed"),
    "attention, backward: heads of d lie as far apart as O's": Fault(Mutant(BACKWARD, "* kargs.nhead_stride_d +",
                                                                            "* kargs.nhead_stride_o +"),
                                                                     "fmha_bwd_dot_do_o"),
}  # fmt: skip


def record(name: str, ck: Path, seconds: float) -> Record:
    """What is said of one fault."""
    one, start = FAULTS[name], cpu_seconds()
    os.environ["COMPOSABLE_KERNEL"] = str(ck)
    with tempfile.TemporaryDirectory() as folder:
        include = one.mutant.written(Path(folder) / "changed")
        try:
            source = one.source(include)
            kernels = read_kernels(source.compiled(TARGET, include))
        except (DeviceError, LayoutError) as error:
            return {"fault": name, "kernel": one.kernel, "verdict": "refused", "by": str(error).splitlines()[0][:200]}
    compiled = cpu_seconds() - start
    results = [audited(decode_kernel(kernels[kernel]), loads(text, f"{kernel}.toml"), seconds)
               for kernel, text in source.launches.items()]  # fmt: skip
    worst = next((v for v in ("crash", "refuted", "unknown") if any(r["verdict"] == v for r in results)), "proved")
    by = dict.fromkeys(claim for one in results for claim, counts in one["claims"].items() if worst in counts)
    return {"fault": name, "kernel": one.kernel, "verdict": worst, "by": "" if worst == "proved" else ", ".join(by),
            "compile": round(compiled, 1), "cpu": round(cpu_seconds() - start - compiled, 1)}  # fmt: skip


def report() -> str:
    """The table of the last record of each fault."""
    found = RECORDS.last()
    rows = [(one["fault"], one["kernel"], one["verdict"], one["by"], f"{one['cpu']} s" if "cpu" in one else "")
            for name in FAULTS if (one := found.get((name,)))]  # fmt: skip
    return table(("fault", "kernel", "verdict", "claims", "CPU of the audit"), iter(rows))


def main(arguments: Sequence[str]) -> int:
    """Audits each; 1 where one is proved."""
    options = parser(__doc__, "faults", [*FAULTS], 120)
    given = options.parse_args(arguments)
    if given.report:
        print(report())
        return 0
    if given.ck is None:
        options.error("name CK's folder")
    proved = False
    for name in given.faults:
        found = record(name, given.ck, given.seconds)
        proved |= found["verdict"] == "proved"
        RECORDS.add(found)
    return int(proved)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
