"""Our decoder against LLVM's disassembler: on a sample of what compilers wrote, and where LLVM is, on whole kernels.

`python -m benchmarks.decoders.run … --sample tests/isa/decode/llvm.txt` adds to the sample.
"""

from pathlib import Path

import pytest

from benchmarks.decoders.compare import Comparison, difference
from benchmarks.decoders.llvm import llvm
from benchmarks.decoders.opcodes import encodings
from benchmarks.decoders.run import TARGETS
from benchmarks.decoders.sample import lines
from layoutalg.isa.architecture import ARCHITECTURES
from layoutalg.isa.container.descriptor import code_format
from layoutalg.isa.decode.instructions import decode
from layoutalg.isa.run.described import TakenForms
from tests.foreign.running import binary
from tests.foreign.table import KERNELS
from tests.matrix import each

SAMPLE = tuple(lines(Path(__file__).parent / "llvm.txt"))


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_both_decoders_agree_on_a_sample_of_what_compilers_write(target):
    differing = [difference(code, of, text) for of, code, text in SAMPLE if of == target]
    assert len(differing) > 100
    assert not [one for one in differing if one]


@pytest.mark.parametrize(
    ("code", "target", "text", "kind"),
    [
        ("0100c1d1080b0624", "gfx90a", "v_mad_f32 v1, -v8, v5, v1", ""),
        ("0100c1d1080b0624", "gfx90a", "v_fma_f32 v1, -v8, v5, v1", "name"),
        ("0100c1d1080b0624", "gfx90a", "v_mad_f32 v1, v8, v5, v1", "only ours"),
        ("0100c1d1080b0624", "gfx90a", "v_mad_f32 v1, -v8, v5, v2", "operands"),
        ("0100c1d1080b0624", "gfx90a", "v_mad_f32 v1, -v8, v5, v1 clamp", "modifiers"),
        ("0100c1d1080b0624", "gfx90a", "v_mad_f32 v1, -v8, v[6:7], v1", "operands"),
        ("0100c1d1080b0624", "gfx942", "v_mad_f32 v1, -v8, v5, v1", "not decoded"),
        ("0100c1d1080b0624", "gfx90a", "", "unknown to LLVM"),
        ("020088d207130200", "gfx942", "v_ldexp_f32 v[2:3], v7, v9", "registers"),
        ("710f8cbf", "gfx942", "s_waitcnt vmcnt(1)", ""),
        ("710f8cbf", "gfx942", "s_waitcnt vmcnt(1) lgkmcnt(3)", "counts"),
        ("0080e8d302090a04", "gfx942", "v_smfmac_f32_32x32x16_bf16 a[0:15], v[2:3], v[4:7], a2", "operands"),
        ("9a6ff476", "gfx1100", "v_ldexp_f16_e32 v122.l, v26.l, v55.l", "operands"),
        (
            "6c80bfd398ad221f",
            "gfx942",
            "v_mfma_f32_32x32x4_xf32 a[108:123], v[152:153], a[86:87], a[200:215]",
            "operands",
        ),
    ],
)
def test_the_comparison_tells_what_differs(code, target, text, kind):
    found = difference(bytes.fromhex(code), target, text)
    assert (found.kind if found else "") == kind


@pytest.fixture
def library():
    found = llvm()
    if found is None:
        pytest.skip("no libLLVM: LAYOUTALG_LLVM says where one is (benchmarks/decoders/llvm.py)")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_both_decoders_agree_on_the_corpus_of_foreign_kernels(library, target):
    comparison = Comparison(library)
    for kernel in (one for one in KERNELS.values() if target in one.targets):
        comparison.add(binary(kernel, target).code, target)
    assert comparison.instructions[target] > 1000
    assert not comparison.examples


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_no_described_opcode_means_something_else_to_llvm(library, target):
    """Bits at random: what LLVM takes and we describe is of one name, size, operands and registers."""
    architecture = ARCHITECTURES[code_format(target).decoder]
    forms = TakenForms(target, max(architecture.vector_granules))
    wrong = ("size", "name", "operands", "registers", "counts")
    found = (difference(code[:size], target, text) for code, size, text in encodings(library, target, 6, 1) if size)
    differing = [one for one in found if one and one.kind in wrong]
    assert not [one for one in differing if not forms.refused(next(decode(one.code, 0, architecture, target)))]
