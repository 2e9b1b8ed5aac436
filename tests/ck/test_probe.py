"""What an own kernel says of its launch, of a header in CK's place; CK's own is in test_probe_ck.py."""

import pytest

from layoutalg.ck.probe import probed, written
from layoutalg.errors import CompileError, LayoutError
from tests.ck.stand_in import OWN, stand_in

GEMM = """
template <class T> __global__ void other(T t) { t(); }
extern "C" __global__ void __launch_bounds__(256, 1) mine(ck_tile::Rows<float>::Kargs a, float b) {
#if defined(__HIP_DEVICE_COMPILE__)
  ck_tile::Rows<float>{}(a);
#endif
}
__global__ void yours(Kernel::Kargs a) { if (a.n) { Kernel{}(a); } }
"""


def test_kernels_are_those_that_call_a_class():
    found = written(GEMM)
    assert {name: one.of for name, one in found.items()} == {"mine": "ck_tile::Rows<float>", "yours": "Kernel"}
    assert (
        found["mine"]
        .calling("Other", "probe")
        .startswith('extern "C" __global__ void probe(Other::Kargs a, float b) {\n#if')
    )
    assert "Other{}(a);" in found["yours"].calling("Other", "probe")


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ck")
    include = stand_in(folder)
    source = folder / "own.hip"
    source.write_text(OWN)
    (found,) = probed(source, ["own"], "gfx942", [include])
    return found


@pytest.mark.slow
def test_views_are_what_the_kernel_makes(rows):
    said = {one.pointer: one for one in rows.views}
    x = said["x"]
    assert (x.dtype, x.bytes, x.vector, str(x.offset)) == ("f16", 2, 4, "block.y * x_batch * 2")
    assert [str(one) for one in (*x.lengths, *x.strides)] == ["m", "n", "x_stride", "1"]
    assert set(said) == {"x", "y"}
    assert [(str(one.length), one.tile, one.padded) for one in rows.tiled] == [("m", 1, False), ("n", 256, True)]


@pytest.mark.slow
def test_grid_block_and_pointers_are_what_it_says(rows):
    assert [str(one) for one in rows.grid] == ["m", "batches", "1"]  # by the names of GridSize's parameters
    assert (rows.block, rows.null) == ((64, 1, 1), frozenset({"lengths"}))
    assert [one.name for one in rows.arguments[0].fields][:3] == ["x", "lengths", "y"]


@pytest.mark.slow
def test_what_does_not_compile_is_told(tmp_path):
    source = tmp_path / "own.hip"
    source.write_text(OWN.replace("using Kernel", "using Kernels"))
    with pytest.raises(CompileError, match="Kernel"):
        probed(source, ["own"], "gfx942", [stand_in(tmp_path)])


SIDES = """
template <class P> struct Sides {
  struct Side { const half_t* p; index_t stride; };
  struct Out { half_t* q; index_t stride; };
  struct Kargs { Side x; Out y; index_t m, n; };
  CK_TILE_HOST static dim3 BlockSize() { return dim3(32, 2); }
  CK_TILE_DEVICE void operator()(Kargs k) const {
    OWN_STORE
    make_naive_tensor_view<address_space_enum::global>(k.x.p, make_tuple(k.m, k.n), make_tuple(k.x.stride, number<1>{}),
                                                       number<1>{}, number<1>{});
    make_naive_tensor_view<address_space_enum::global>(k.y.q, make_tuple(k.n, k.m), make_tuple(k.y.stride, number<1>{}),
                                                       number<1>{}, number<1>{});
  }
};
"""


def sides(folder, store=""):
    source = folder / "own.hip"
    include = stand_in(folder)
    own = OWN.replace("using Kernel", f"namespace ck_tile {{ {SIDES.replace('OWN_STORE', store)} }}\nusing Kernel")
    source.write_text(own.replace("ck_tile::Rows<ck_tile::Copy>", "ck_tile::Sides<ck_tile::Copy>"))
    return probed(source, ["own"], "gfx942", [include])


@pytest.mark.slow
def test_fields_of_one_name_in_two_structs_are_two_arguments(tmp_path):
    (found,) = sides(tmp_path)
    assert {one.pointer: str(one.strides[0]) for one in found.views} == {"p": "stride_1", "q": "stride_2"}
    assert found.block == (32, 2, 1)


@pytest.mark.slow
def test_what_a_kernel_stores_to_lds_itself_is_no_view(tmp_path):
    with pytest.raises(LayoutError, match="it stores to LDS itself"):
        sides(tmp_path, "__shared__ float s[64]; s[threadIdx.x] = k.n; __syncthreads(); if (s[k.m] == 3.f) return;")
