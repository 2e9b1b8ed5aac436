"""Own instantiations over CK's own headers: what each says of its launch is what its author would write by hand."""

import pytest

from layoutalg.ck.contract import contract
from layoutalg.ck.probe import ProbedKernel, probed
from layoutalg.formats import loads
from tests.composable_kernel import composable_kernel

INCLUDE = composable_kernel() / "include"

RMS = """
#include "ck_tile/core.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/rmsnorm2d.hpp"
namespace ck = ck_tile;
using T = ck::bf16_t;
using Shape = ck::Generic2dBlockShape<ck::sequence<1, 2048>, ck::sequence<1, 256>, ck::sequence<1, 8>>;
using Traits = ck::Rmsnorm2dFwdTraits<true, false, false, true, ck::Rmsnorm2dFusedAddEnum::NO_ADD,
                                      ck::Rmsnorm2dFusedQuantEnum::NO_SWEEP,
                                      ck::Rmsnorm2dSensitiveEnum::NO_SPECIFIC_MODEL>;
using Problem = ck::Rmsnorm2dFwdPipelineProblem<T, T, float, T, T, T, float, float, Shape, Traits>;
using Epilogue = ck::Default2DEpilogue<ck::Default2DEpilogueProblem<float, T, false, true, false>>;
using Kernel = ck::Rmsnorm2dFwd<ck::Rmsnorm2dFwdPipelineTwoPass<Problem>, Epilogue>;
extern "C" __global__ void __launch_bounds__(256, 1) rows(Kernel::Kargs arguments) { Kernel{}(arguments); }
"""

GEMM = """
#include "ck_tile/core.hpp"
#include "ck_tile/ops/epilogue.hpp"
#include "ck_tile/ops/gemm.hpp"
using namespace ck_tile;
using Row = tensor_layout::gemm::RowMajor;
using Column = tensor_layout::gemm::ColumnMajor;
using Shape = TileGemmShape<sequence<64, 64, 32>, sequence<2, 2, 1>, sequence<32, 32, 16>>;
using Traits = TileGemmUniversalTraits<false, false, false, false, Row, Column, Row>;
using Problem = UniversalGemmPipelineProblem<half_t, half_t, float, Shape, Traits, GemmPipelineScheduler::Intrawave,
                                             true, TailNumber::Full>;
using Epilogue = CShuffleEpilogue<CShuffleEpilogueProblem<half_t, half_t, tuple<>, float, half_t, tuple<>, Row,
                                                          element_wise::PassThrough, 64, 64, 2, 2, 32, 32, 16, false,
                                                          memory_operation_enum::set>>;
using Kernel = GemmKernel<GemmSpatiallyLocalTilePartitioner<Shape, 8, 4>, GemmPipelineAgBgCrCompV3<Problem>, Epilogue>;
extern "C" __global__ void __launch_bounds__(256, 1) product(Kernel::UniversalGemmKernel::KernelArgs arguments) {
#if defined(__HIP_DEVICE_COMPILE__)
  Kernel{}(arguments);
#endif
}
"""


def asked(text: str, name: str, folder) -> ProbedKernel:
    source = folder / "own.hip"
    source.write_text(text)
    (found,) = probed(source, [name], "gfx942", [INCLUDE])
    return found


@pytest.mark.slow
def test_two_passes_over_rows_are_launched_as_a_person_writes_it(tmp_path):
    found = asked(RMS, "rows", tmp_path)
    file = loads(contract(found, found.lds_bytes, "own.hip"))
    assert {one.name: [str(n) for n in one.descriptor.lengths] for one in file.descriptors} == {
        "p_x": ["m", "n"], "p_gamma": ["n"], "p_y": ["m", "n"],
    }  # fmt: skip
    assert {one.dtype for one in file.descriptors} == {"bf16"}
    assert ([str(one) for one in file.launch.grid], found.block, found.lds_bytes) == (["m"], (256, 1, 1), 16)
    assert file.launch.writes == ("p_y",)
    assert "n = { min = 8, max = 16384, multiple_of = 8 }" in contract(found, 16, "own.hip")


@pytest.mark.slow
def test_a_product_is_launched_as_its_partitioner_says(tmp_path):
    found = asked(GEMM, "product", tmp_path)
    text = contract(found, found.lds_bytes, "own.hip")
    file = loads(text)
    assert {one.name: [str(n) for n in one.descriptor.lengths] for one in file.descriptors} == {
        "as_ptr_0": ["M", "K"], "bs_ptr_0": ["N", "K"], "e_ptr": ["M", "N"],
    }  # fmt: skip
    assert [str(one) for one in file.launch.grid] == ["(M + 63) // 64 * ((N + 63) // 64)"]
    assert "K = { min = 32, max = 16384, multiple_of = 32 }" in text  # nothing is padded
    assert "N = { min = 64, max = 16384, multiple_of = 64 }" in text
    assert "{ value = 1, bytes = 4 },  # k_batch: guess: not split" in text
