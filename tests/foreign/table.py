"""Every kernel of the corpus."""

from tests.foreign.corpus import Kernel
from tests.foreign.families import (
    bits,
    copies,
    elementwise,
    histograms,
    indexing,
    matmul,
    matrix_units,
    normalisation,
    quantise,
    reductions,
    scans,
    stencils,
    transposes,
)

FAMILIES = (
    copies, transposes, elementwise, reductions, scans, histograms, stencils, normalisation, matmul, matrix_units,
    indexing, quantise, bits,
)  # fmt: skip

KERNELS: dict[str, Kernel] = {kernel.name: kernel for family in FAMILIES for kernel in family.KERNELS}
