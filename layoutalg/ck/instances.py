"""The C++ of a configuration, over CK Tile's headers: what a kernel's templates are given, and what is asked of them.

Each question is one constant expression.  Configurations that differ in what a question does not depend on ask the same
text, which is compiled once.

| question   | asks for, as a tuple                                                                              |
|------------|---------------------------------------------------------------------------------------------------|
| `warp`     | whether CK has a warp GEMM of the element type and the warp's tile                                |
| `pipeline` | of A and B: the LDS descriptor, the distributions from memory, to LDS and from LDS; bytes of LDS; |
|            | whether LDS is read transposed, and then where lanes look; the distribution of C's accumulators;  |
|            | the elements of A's and of B's vectors in LDS                                                     |
| `epilogue` | of C: the LDS descriptor, the distributions to LDS and from LDS, the window on it; bytes of LDS;  |
|            | how many warp tiles it takes at a time, where these begin, and how its window on memory moves     |

`comp_async` brings A and B straight to LDS: what is stored there is what was loaded, by one distribution.

Source: gemm_pipeline_ag_bg_cr_{base,comp_v3,comp_v4,comp_async,mem}.hpp, gemm_universal_pipeline_ag_bg_cr_policy.hpp,
block_universal_gemm_as_bs_cr.hpp, load_tile_transpose.hpp, cshuffle_epilogue.hpp, gemm_instance_builder.py of AMD's
composable_kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from layoutalg.ck.space import Configuration
from layoutalg.formats.cpp import CppUnit

HEADERS = ("ck_tile/core.hpp", "ck_tile/ops/gemm.hpp", "ck_tile/ops/epilogue.hpp")

CPP_TYPES = {
    "fp16": "half_t", "bf16": "bf16_t", "fp8": "fp8_t", "bf8": "bf8_t", "int8": "int8_t", "fp32": "float",
    "fp64": "double",
}  # fmt: skip
ACCUMULATED = {"int8": "int32_t", "fp64": "double"}  # all others in float
RESULTS = {"fp8": "half_t", "bf8": "half_t", "int8": "int32_t"}  # all others in their own type
_LAYOUTS = {"r": "tensor_layout::gemm::RowMajor", "c": "tensor_layout::gemm::ColumnMajor"}
_POLICIES = {
    "compv3": "UniversalGemmPipelineAgBgCrPolicy", "mem": "UniversalGemmPipelineAgBgCrPolicy",
    "compv4": "GemmPipelineAgBgCrCompV4DefaultPolicy", "comp_async": "GemmPipelineAgBgCrCompAsyncDefaultPolicy",
}  # fmt: skip

PRELUDE = """
using namespace ck_tile;
namespace layoutalg_gemm {
template <class T, class Acc, index_t m, index_t n, index_t k>
constexpr bool has_warp = requires { typename WarpGemmDispatcher<T, T, Acc, m, n, k, false>; };
template <class Encode, class T, bool transposed>
constexpr auto asked() {
  if constexpr (transposed)
    return typename InputTileDistributionTraits<Encode, T>::TransposedDstrEncode{};
  else
    return Encode{};
}
template <class T, class Acc, class LayoutA, class LayoutB, class LayoutC, class Block, class Warps, class Warp,
          class Policy, bool twice, bool straight>
constexpr auto pipeline() {
  using Shape = TileGemmShape<Block, Warps, Warp, false, false>;
  using Traits = TileGemmUniversalTraits<false, false, false, twice, LayoutA, LayoutB, LayoutC, false, false, false, 1,
                                         false>;
  using Problem = UniversalGemmPipelineProblem<T, T, Acc, Shape, Traits, GemmPipelineScheduler::Intrawave, true,
                                               TailNumber::Full>;
  using BlockGemm = remove_cvref_t<decltype(Policy::template GetBlockGemm<Problem>())>;
  constexpr auto stored_a = [] {
    if constexpr (!straight && std::is_same_v<LayoutA, tensor_layout::gemm::ColumnMajor> &&
                  !Policy::template is_a_load_tr<Problem>)
      return Policy::template MakeShuffledARegTileDistribution<Problem>();
    else
      return Policy::template MakeADramTileDistribution<Problem>();
  }();
  constexpr auto stored_b = [] {
    if constexpr (!straight && std::is_same_v<LayoutB, tensor_layout::gemm::RowMajor> &&
                  !Policy::template is_b_load_tr<Problem>)
      return Policy::template MakeShuffledBRegTileDistribution<Problem>();
    else
      return Policy::template MakeBDramTileDistribution<Problem>();
  }();
  return make_tuple(
      Policy::template MakeALdsBlockDescriptor<Problem>(), Policy::template MakeADramTileDistribution<Problem>(),
      stored_a, BlockGemm::MakeABlockDistributionEncode(), Policy::template MakeBLdsBlockDescriptor<Problem>(),
      Policy::template MakeBDramTileDistribution<Problem>(), stored_b, BlockGemm::MakeBBlockDistributionEncode(),
      static_cast<index_t>(Policy::template GetSmemSize<Problem>()), Policy::template is_a_load_tr<Problem>,
      Policy::template is_b_load_tr<Problem>,
      asked<decltype(BlockGemm::MakeABlockDistributionEncode()), T, Policy::template is_a_load_tr<Problem>>(),
      asked<decltype(BlockGemm::MakeBBlockDistributionEncode()), T, Policy::template is_b_load_tr<Problem>>(),
      remove_cvref_t<decltype(BlockGemm::MakeCBlockTile())>::get_tile_distribution(),
      static_cast<index_t>(Policy::template GetSmemPackA<Problem>()),
      static_cast<index_t>(Policy::template GetSmemPackB<Problem>()));
}
template <class Curve, index_t... n>
constexpr auto places(std::integer_sequence<index_t, n...>) {
  return make_tuple(Curve::get_index(number<n>{})...);
}
template <class Curve, index_t... n>
constexpr auto moves(std::integer_sequence<index_t, n...>) {
  return make_tuple(Curve::get_forward_step(number<n>{})...);
}
template <class T, class Acc, class Out, class LayoutC, class Block, class Warps, class Warp>
constexpr auto epilogue() {
  using Problem = CShuffleEpilogueProblem<T, T, tuple<>, Acc, Out, tuple<>, LayoutC, element_wise::PassThrough,
                                          Block::at(number<0>{}), Block::at(number<1>{}), Warps::at(number<0>{}),
                                          Warps::at(number<1>{}), Warp::at(number<0>{}), Warp::at(number<1>{}),
                                          Warp::at(number<2>{}), false, memory_operation_enum::set>;
  using Epilogue = CShuffleEpilogue<Problem>;
  using Curve = typename Epilogue::SFC;
  using Out_pattern =
      tile_distribution_encoding_pattern_2d<Epilogue::kBlockSize, Epilogue::MPerIterationShuffle,
                                            Epilogue::NPerIterationShuffle, Epilogue::GetVectorSizeC(),
                                            tile_distribution_pattern::thread_raked, Problem::kNumWaveGroups>;
  return make_tuple(Epilogue::template MakeLdsBlockDescriptor<Problem>(), Epilogue::MakeLdsDistributionEncode(),
                    Out_pattern::make_2d_static_tile_distribution(),
                    make_tuple(number<Epilogue::MPerIterationShuffle>{}, number<Epilogue::NPerIterationShuffle>{}),
                    number<Epilogue::GetSmemSize()>{},
                    make_tuple(number<Epilogue::NumMXdlPerWavePerShuffle>{},
                               number<Epilogue::NumNXdlPerWavePerShuffle>{}),
                    places<Curve>(std::make_integer_sequence<index_t, Curve::get_num_of_access()>{}),
                    moves<Curve>(std::make_integer_sequence<index_t, Curve::get_num_of_access() - 1>{}));
}
}  // namespace layoutalg_gemm
"""


def unit(target: str, include: Sequence[Path]) -> CppUnit:
    """What every question of a target is compiled with."""
    return CppUnit(target, HEADERS, tuple(include), PRELUDE)


def warp(one: Configuration) -> str:
    """Whether CK has a warp GEMM."""
    sides = ", ".join(map(str, one.tile.warp))
    return f"layoutalg_gemm::has_warp<{_type(one)}, {_accumulated(one)}, {sides}>"


def pipeline(one: Configuration) -> str:
    """The layouts of A and B."""
    layouts = ", ".join(_LAYOUTS[letter] for letter in one.layout)
    how = f"{_POLICIES[one.pipeline]}, {str(one.twice).lower()}, {str(one.straight).lower()}"
    return f"layoutalg_gemm::pipeline<{_type(one)}, {_accumulated(one)}, {layouts}, {_sides(one)}, {how}>()"


def epilogue(one: Configuration) -> str:
    """The layouts of C, where it goes through LDS."""
    types = f"{_type(one)}, {_accumulated(one)}, {RESULTS.get(one.dtype, _type(one))}"
    return f"layoutalg_gemm::epilogue<{types}, {_LAYOUTS[one.layout[2]]}, {_sides(one, depth=False)}>()"


def _type(one: Configuration) -> str:
    return CPP_TYPES[one.dtype]


def _accumulated(one: Configuration) -> str:
    return ACCUMULATED.get(one.dtype, "float")


def _sides(one: Configuration, depth: bool = True) -> str:
    """The tile as sequences; an epilogue knows nothing of the tile's depth."""
    block = one.tile.block if depth else (*one.tile.block[:2], 0)
    return ", ".join(f"sequence<{', '.join(map(str, part))}>" for part in (block, one.tile.warps, one.tile.warp))
