"""Buffers, views, windows, and distributed tensors, on real memory."""

import numpy as np
import pytest

from layoutalg.index import symbol
from layoutalg.layout import (
    LayoutError,
    Merge,
    Pad,
    PassThrough,
    TileDistribution,
    TileDistributionEncoding,
    make_naive_tensor_descriptor,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.layout.bind import bind
from layoutalg.layout.buffer_view import AddressSpace, BufferView, MemoryOperation, OutOfRangeError
from layoutalg.layout.distributed_tensor import (
    StaticDistributedTensor,
    from_tile,
)
from layoutalg.layout.tensor_view import (
    make_tensor_view,
)
from layoutalg.layout.tile_window import TileWindow

# --- buffers ----------------------------------------------------------------------------------------------------------


def test_invalid_and_out_of_range_loads():
    data = np.arange(8, dtype=np.float32) + 1
    plain, custom = BufferView(data), BufferView(data, invalid_element_value=13)
    assert plain.get([0, 7, 3, 100, -1], [True, True, False, True, True]).tolist() == [1, 8, 0, 0, 0]
    assert custom.get([0, 7, 3, 100], [True, True, False, True]).tolist() == [1, 8, 13, 0]
    assert custom.get(100, False) == 13


def test_vectors_have_one_validity_and_each_element_its_range():
    buffer = BufferView(np.arange(8))
    assert buffer.get([0, 6, 4], [True, True, False], width=4).tolist() == [[0, 1, 2, 3], [6, 7, 0, 0], [0, 0, 0, 0]]
    buffer.set([6], [[60, 70, 80, 90]], width=4)
    assert buffer.data.tolist() == [0, 1, 2, 3, 4, 5, 60, 70]
    with pytest.raises(LayoutError, match="a vector of 0 elements"):
        buffer.get(0, width=0)


@pytest.mark.parametrize("space", [AddressSpace.LDS, AddressSpace.GENERIC, AddressSpace.VGPR])
def test_spaces_without_range_checks_and_without_atomics(space):
    buffer = BufferView(np.zeros(4, dtype=int), space, invalid_element_value=7)
    buffer.set([0, 9], [1, 2], [True, False])
    buffer.update([0], [5])
    assert buffer.get([0, 9], [True, False]).tolist() == [6, 7]
    with pytest.raises(OutOfRangeError, match=f"the range of {space.value} memory"):
        buffer.get([4])
    for operation in (MemoryOperation.ATOMIC_ADD, MemoryOperation.ATOMIC_MAX):
        with pytest.raises(LayoutError, match=f"to {space.value} memory: CK Tile's buffer_view of it does nothing"):
            buffer.update([0], [5], operation=operation)
    assert buffer.data.tolist() == [6, 0, 0, 0]


@pytest.mark.parametrize("space", [AddressSpace.SGPR, AddressSpace.CONSTANT])
def test_spaces_that_no_buffer_view_has(space):
    with pytest.raises(LayoutError, match=f"no buffer_view of {space.value} memory"):
        BufferView(np.arange(4), space)
    with pytest.raises(LayoutError, match=f"no buffer_view of {space.value} memory"):
        make_tensor_view(np.arange(4), address_space=space)


def test_a_view_of_a_buffer_is_of_that_buffer():
    buffer = BufferView(np.arange(8), AddressSpace.VGPR, invalid_element_value=9)
    view = make_tensor_view(buffer, make_naive_tensor_descriptor((2, 3), (4, 1)))
    assert view.buffer is buffer
    assert view.pad((2, 4)).read().tolist() == [[0, 1, 2, 9], [4, 5, 6, 9]]
    with pytest.raises(LayoutError, match="a buffer has no shape"):
        make_tensor_view(buffer)
    with pytest.raises(LayoutError, match="over 9 elements on memory of 8"):
        make_tensor_view(buffer, make_naive_tensor_descriptor_packed((3, 3)))


def test_invalid_and_out_of_range_stores_are_dropped():
    buffer = BufferView(np.zeros(4, dtype=int))
    buffer.set([0, 1, 2, 9, -3], [1, 2, 3, 4, 5], [True, False, True, True, True])
    assert buffer.data.tolist() == [1, 0, 3, 0]


@pytest.mark.parametrize("space", [AddressSpace.LDS, AddressSpace.GENERIC])
def test_nothing_checks_the_range_of_lds(space):
    buffer = BufferView(np.arange(8), space)
    assert buffer.get([3, 100], [True, False]).tolist() == [3, 0]
    with pytest.raises(
        OutOfRangeError, match=f"load at offset 8 of 8 elements: nothing checks the range of {space.value}"
    ):
        buffer.get([3, 8])
    with pytest.raises(OutOfRangeError, match="store at offset -1 of 8"):
        buffer.set([-1], [1])
    buffer.set([100], [1], [False])


def test_memory_operations():
    buffer = BufferView(np.array([1, 5, 3]))
    buffer.update([0, 0, 1], [10, 10, 1], operation=MemoryOperation.ATOMIC_ADD)
    assert buffer.data.tolist() == [21, 6, 3]
    buffer.update([2, 1], [7, 2], operation=MemoryOperation.ATOMIC_MAX)
    assert buffer.data.tolist() == [21, 6, 7]
    buffer.update([2, 1], [7, 2])
    assert buffer.data.tolist() == [21, 8, 14]


def test_empty_buffer():
    assert BufferView(np.zeros(0)).get([0], [False]).tolist() == [0]


def test_a_buffer_has_one_dimension():
    with pytest.raises(LayoutError, match="one dimension, not 2"):
        BufferView(np.zeros((2, 2)))


# --- views ------------------------------------------------------------------------------------------------------------

CUBE = np.arange(60).reshape(3, 4, 5)
ARRAYS = {
    "c order": CUBE,
    "transposed": CUBE.T,
    "fortran": np.asfortranarray(CUBE),
    "every second": CUBE[:, ::2, 1:4],
    "reversed": CUBE[::-1],
    "reversed twice": CUBE[::-1, :, ::-2],
    "broadcast": np.broadcast_to(np.arange(5), (3, 5)),
    "field": np.zeros(4, dtype=[("a", "i4"), ("b", "i4")])["b"],
    "one element": CUBE[1:2, 2:3, 3:4],
}


@pytest.mark.parametrize("array", ARRAYS.values(), ids=ARRAYS)
def test_an_array_is_seen_as_it_lies(array):
    view = make_tensor_view(array)
    assert np.array_equal(view.read(), array)
    assert np.shares_memory(view.buffer.data, array)
    last = tuple(n - 1 for n in array.shape)
    assert view.get(last) == array[last]


def test_stores_reach_the_array_through_any_view():
    memory = np.zeros((4, 6), dtype=int)
    make_tensor_view(memory[::-1, ::2]).set((0, 1), 7)
    assert memory[3, 2] == 7
    make_tensor_view(memory.T).write(np.arange(24).reshape(6, 4))
    assert np.array_equal(memory, np.arange(24).reshape(6, 4).T)


class Foreign:
    """An object of another library that shows its memory."""

    def __init__(self, array: np.ndarray, protocol: str) -> None:
        self._array = array
        if protocol == "interface":
            self.__array_interface__ = array.__array_interface__


class Capsule:
    """An object that speaks DLPack only."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


@pytest.mark.parametrize("wrap", [lambda a: Foreign(a, "interface"), Capsule], ids=["array interface", "dlpack"])
def test_memory_of_other_libraries_is_not_copied(wrap):
    memory = np.zeros((2, 3))
    view = make_tensor_view(wrap(memory))
    view.set((1, 2), 5)
    assert memory[1, 2] == 5


def test_what_would_be_copied_is_refused():
    with pytest.raises(LayoutError, match="a list cannot be viewed without a copy"):
        make_tensor_view([1, 2, 3])
    with pytest.raises(LayoutError, match=r"shape \(\) is no tensor"):
        make_tensor_view(np.array(3))
    with pytest.raises(LayoutError, match="not whole elements of 4 bytes"):
        make_tensor_view(np.zeros(4, dtype=[("a", "i1"), ("b", "i4")])["b"])


def test_a_descriptor_over_memory():
    memory = np.arange(24)
    d = make_naive_tensor_descriptor((3, 4), (8, 1))
    view = make_tensor_view(memory, d)
    assert view.read().tolist() == [[0, 1, 2, 3], [8, 9, 10, 11], [16, 17, 18, 19]]
    merged = view.transform([Merge((3, 4))], [[0, 1]], [[0]])
    assert merged.get(([4, 11],)).tolist() == [8, 19]
    assert view.get(([0, 2], 0), width=2).tolist() == [[0, 1], [16, 17]]
    columns = make_naive_tensor_descriptor((2, 2), (1, 2))
    assert make_tensor_view(memory, columns).read().tolist() == [[0, 2], [1, 3]]
    with pytest.raises(LayoutError, match="a descriptor over 20 elements on memory of 12"):
        make_tensor_view(np.arange(12), d)
    with pytest.raises(LayoutError, match="runs backwards"):
        make_tensor_view(memory[::-1], d)


def test_index_outside_is_refused():
    view = make_tensor_view(CUBE)
    with pytest.raises(LayoutError, match=r"index 4 of dimension 1 is outside 0…3"):
        view.get((0, [1, 4], 0))
    with pytest.raises(LayoutError, match="an index of 2 coordinates for 3 dimensions"):
        view.get((0, 0))


def test_sizes_must_be_bound():
    m = symbol("M", max=64)
    d = make_naive_tensor_descriptor_packed((m, 4))
    with pytest.raises(LayoutError, match="M is not a number; bind the descriptor's sizes"):
        make_tensor_view(np.arange(12), d)
    assert make_tensor_view(np.arange(12), bind(d, {m: 3})).shape == (3, 4)
    with pytest.raises(LayoutError, match="M = 0 breaks 1 <= M <= 64"):
        bind(d, {m: 0})


def test_padding_reads_as_the_invalid_value_and_is_not_stored():
    memory = np.arange(1, 7).reshape(2, 3)
    view = make_tensor_view(memory, invalid_element_value=-1)
    padded = view.transform([Pad(2, 1, 0), Pad(3, 0, 1)], [[0], [1]], [[0], [1]])
    assert padded.read().tolist() == [[-1, -1, -1, -1], [1, 2, 3, -1], [4, 5, 6, -1]]
    padded.write(np.full((3, 4), 9))
    assert memory.tolist() == [[9, 9, 9], [9, 9, 9]]
    assert view.pad((2, 2)).shape == (2, 4)
    assert view.pad((4, 2), (False, True)).shape == (2, 4)
    assert view.transform([Merge((2, 3))], [[0, 1]], [[0]]).shape == (6,)
    with pytest.raises(LayoutError, match="1 tile lengths and 2 choices for 2 dims"):
        view.pad((2,))


# --- windows ----------------------------------------------------------------------------------------------------------

LANES = TileDistribution(TileDistributionEncoding((), ((4, 2), (8, 2)), ((1, 2),), ((0, 0),), (1, 2), (1, 1)))


def test_a_window_walks_a_tensor_and_adds_it_up():
    memory = np.arange(16 * 64).reshape(16, 64)
    window, total = TileWindow(make_tensor_view(memory), (8, 16), (8, 0), LANES), 0
    for _ in range(4):
        total += int(window.load_tile().data.sum())
        window = window.move((0, 16)) if window.origin[1] < 48 else window
    assert total == memory[8:].sum()
    assert window.origin == (8, 48)
    assert np.array_equal(window.load(), memory[8:, 48:])


def test_load_and_store_by_lanes():
    memory = np.arange(8 * 16).reshape(8, 16)
    target = np.zeros_like(memory)
    held = TileWindow(make_tensor_view(memory), (8, 16), (0, 0), LANES).load_tile()
    assert held.data.shape == (32, 2, 2)
    assert held.thread_buffer((9,)).tolist() == [34, 35, 50, 51]
    into = TileWindow(make_tensor_view(target), (8, 16), (0, 0))
    into.store_tile(held)
    assert np.array_equal(target, memory)
    into.store_tile(held, MemoryOperation.ATOMIC_ADD)
    assert np.array_equal(target, 2 * memory)


def test_a_window_over_the_edge_needs_padding():
    view = make_tensor_view(np.ones((6, 16), dtype=int))
    window = TileWindow(view, (8, 16), (0, 0), LANES)
    with pytest.raises(LayoutError, match="index 6 of dimension 0 is outside 0…5; pad the view"):
        window.load_tile()
    assert TileWindow(view.pad((8, 16)), (8, 16), (0, 0), LANES).load_tile().data.sum() == 96


def test_windows_that_do_not_fit_are_refused():
    view = make_tensor_view(CUBE[0])
    with pytest.raises(LayoutError, match="window dimension 0 has length 4"):
        TileWindow(view, (4, 16), (0, 0), LANES)
    with pytest.raises(LayoutError, match=r"window lengths \(2,\) at \(0, 0\) over a view of 2 dimensions"):
        TileWindow(view, (2,), (0, 0))
    with pytest.raises(LayoutError, match="a length is at least 1"):
        TileWindow(view, (2, 0), (0, 0))
    with pytest.raises(LayoutError, match="a step of 1 coordinates for 2"):
        TileWindow(view, (2, 2), (0, 0)).move((1,))
    with pytest.raises(LayoutError, match="has no distribution"):
        TileWindow(view, (2, 2), (0, 0)).load_tile()
    assert TileWindow(view, (2, 2), (1, 2)).load().tolist() == [[7, 8], [12, 13]]


# --- distributed tensors ----------------------------------------------------------------------------------------------


def test_copies_that_differ_are_refused():
    copies = TileDistribution(TileDistributionEncoding((2,), ((4,),), ((0, 1),), ((0, 0),), (), ()))
    assert from_tile(copies, np.arange(4)).to_tile().tolist() == [0, 1, 2, 3]
    with pytest.raises(LayoutError, match=r"element \(1,\) is held twice, with different values"):
        StaticDistributedTensor(copies, np.array([0, 1, 2, 3, 0, 9, 2, 3])).to_tile()


def test_a_distributed_tensor_that_does_not_fit_is_refused():
    with pytest.raises(LayoutError, match=r"registers of shape \(32, 4\)"):
        StaticDistributedTensor(LANES, np.zeros((32, 4)))


def test_bound_descriptors_are_those_built_from_numbers():
    m, k = symbol("M", max=64), symbol("K", max=64)

    def build(m, k):
        d = make_naive_tensor_descriptor((k, m, 8), ((m + 1) * 8, 8, 1))
        return transform_tensor_descriptor(d, [PassThrough(m), Merge((k, 8))], [[1], [0, 2]], [[0], [1]])

    assert bind(build(m, k), {m: 64, k: 4}) == build(64, 4)
