"""Memory of several partitions, and what TMA fills: by the values that are published, and priced."""

import itertools
import json
import re
from pathlib import Path
from random import Random

import pytest

from layoutalg.errors import LayoutError
from layoutalg.interop import cute
from layoutalg.interop.triton import conflict_free, from_triton, linear_layout, to_triton
from layoutalg.interop.triton.attribute import parse
from layoutalg.interop.triton.objects import attribute_of
from layoutalg.interop.triton.shared import shared
from layoutalg.layout import TensorDescriptor
from layoutalg.prove import Agree, Injective, Proved, Refuted, prove
from tests.interop.triton.cases import partitioned
from tests.interop.triton.test_accesses import by_enumeration

ROWS = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
WMMA = (
    "#ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[1, 0], [2, 0]]}, instrShape = [16, 16, 32]}>"
)
OPERAND = f"#ttg.dot_op<{{opIdx = 0, parent = {WMMA}, kWidth = 8}}>"


def in_partitions(inner: str, partitions: int = 2, groups: int = 4, dim: int = 0) -> str:
    fields = f"numPartitions = {partitions}, numGroups = {groups}, partitionDim = {dim}, partitionLayout = {inner}"
    return f"#ttg.partitioned_shared<{{{fields}}}>"


def nvmma(width: int, bits: int, transposed: bool = False, more: str = "") -> str:
    fields = f"swizzlingByteWidth = {width}, transposed = {str(transposed).lower()}, elementBitWidth = {bits}{more}"
    return f"#ttg.nvmma_shared<{{{fields}}}>"


def test_pieces_are_dealt_out_to_partitions() -> None:
    """The example of the pull request that has introduced it (triton-lang/triton #9314): 8 pieces of 16 rows."""
    layout = linear_layout(in_partitions(ROWS), (128, 32))
    assert layout.is_injective
    assert layout.is_surjective
    for partition in range(2):
        pieces = [layout.apply(offset=piece * 16 * 32, partition=partition)["dim0"] // 16 for piece in range(4)]
        assert pieces == [partition, 2 + partition, 4 + partition, 6 + partition]


def test_every_element_is_in_one_partition() -> None:
    """By chance, beside the definition: piece n of the dimension is in partition n mod numPartitions."""
    for seed in range(20):
        case = partitioned(Random(seed))
        fields = {key: int(n) for key, n in re.findall(r"(num\w+|partitionDim) = (\d+)", case.text)}
        layout, dim = linear_layout(case.text, case.shape), fields["partitionDim"]
        assert layout.is_injective
        assert layout.is_surjective
        length = case.shape[dim] // (fields["numPartitions"] * fields["numGroups"])
        where = layout.inverse()
        for at in range(case.shape[dim]):
            place = where.apply(**{f"dim{dim}": at})
            assert place["partition"] == at // length % fields["numPartitions"]
        there = from_triton(case.text, case.shape)
        assert isinstance(there, TensorDescriptor)
        assert prove(Injective(there))


def test_padding_is_that_of_each_partition() -> None:
    """64 rows of 32 in two buffers, 8 elements after each 64: the second buffer does not count the first one's rows."""
    inner = "#ttg.padded_shared<[64:+8] {order = [1, 0], shape = [8, 32]}>"
    memory = shared(parse(in_partitions(inner)), (64, 32))
    assert memory.pads == ((64, 8),)
    buffer = memory.joined.padded(32 * 32)
    for row, piece in ((0, 0), (7, 0), (16, 1), (48 + 5, 3)):
        own = (piece * 8 + row % 8) * 32 + 3
        assert memory.descriptor.offset((row, 3)) == own + own // 64 * 8
        assert memory.descriptor.offset((row + 8, 3)) == buffer + own + own // 64 * 8
    assert prove(Injective(memory.descriptor))


def test_elements_lie_where_tritons_code_stores_them() -> None:
    """30 by chance on gfx1250: each partition begins in 64 KiB of its own, and elements are padded from there on."""
    told = [json.loads(line) for line in (Path(__file__).parent / "partitioned.jsonl").read_text().splitlines()]
    padded = 0
    for one in told:
        memory = shared(parse(one["shared"]), one["shape"])
        padded += bool(memory.pads)
        places, count = memory.linear.places, one["shape"][1]
        begins = set()
        for partition, offset in itertools.product(range(places["partition"]), range(places["offset"])):
            row, column = memory.linear.apply(partition=partition, offset=offset).values()
            begin = one["addresses"][row * count + column] - 4 * memory.padded(offset)
            assert begin % (64 << 10) == 0, (one["shared"], row, column)
            begins.add((partition, begin))
        assert len(begins) == len({begin for _, begin in begins}) == places["partition"]
    assert (len(told), padded) == (30, 15)


@pytest.mark.parametrize(("inner", "free"), [("[64:+8]", True), ("[64:+4]", False), ("[64:+1]", False)])
def test_a_partition_is_priced_by_its_buffer(inner: str, free: bool) -> None:
    layout = in_partitions(f"#ttg.padded_shared<{inner} {{order = [1, 0], shape = [16, 64]}}>", groups=2)
    found = conflict_free(layout, OPERAND, "gfx1250", shape=(64, 64), dtype="f16")
    assert isinstance(found.verdict, Proved if free else Refuted)
    if found.cost is not None:
        one = {"shared": layout, "registers": OPERAND, "shape": [64, 64]}
        assert by_enumeration(one, found, 2) == found.cost.degree


def test_lanes_in_two_partitions_are_not_priced() -> None:
    """16 rows of an operand are pieces of 8: lanes 0 and 8 are in different partitions."""
    with pytest.raises(LayoutError, match="lanes 0 and 8 reach two partitions at once"):
        conflict_free(in_partitions(ROWS), OPERAND, "gfx1250", shape=(64, 64), dtype="f16")


@pytest.mark.parametrize(
    ("layout", "shape", "reason"),
    [
        (in_partitions(ROWS), (4, 64), "has no 8 pieces"),
        (in_partitions(ROWS, dim=2), (64, 64), "has no 8 pieces"),
        (in_partitions(ROWS, partitions=3), (64, 64), "a power of two is wanted"),
        (in_partitions(in_partitions(ROWS)), (64, 64), "of partitions, are not read"),
        (nvmma(128, 16), (64, 32), "less than a tile of 8 rows and 64 columns"),
        (nvmma(128, 16), (4, 64), "less than a tile of 8 rows and 64 columns"),
        (nvmma(16, 16), (64, 64), "0, 32, 64 or 128 is wanted"),
        (nvmma(128, 4), (64, 64), "8, 16, 32 or 64 is wanted"),
        (nvmma(64, 8, more=", fp4Padded = true"), (64, 64), "fp4Padded is of bytes that are swizzled by 128"),
        (nvmma(0, 16), (2, 64, 64), "it is of 2 dimensions, the tensor of 3"),
        (nvmma(0, 16, True, ", rank = 3"), (64, 64, 2), "transposed is read of two dimensions"),
    ],
)
def test_what_no_tensor_has_is_refused(layout: str, shape: tuple[int, ...], reason: str) -> None:
    with pytest.raises(LayoutError, match=reason):
        from_triton(layout, shape)


def test_partitions_are_no_shared_linear() -> None:
    with pytest.raises(LayoutError, match="several partitions"):
        to_triton(linear_layout(in_partitions(ROWS), (128, 32)))


@pytest.mark.parametrize(("width", "swizzle"), [(128, 3), (64, 2), (32, 1)])
def test_a_swizzle_is_cutes(width: int, swizzle: int) -> None:
    """CUTLASS's GMMA atoms, of 16-bit elements: 8 rows of as many bytes; a neighbour is another map."""
    columns = width // 2
    tile = from_triton(nvmma(width, 16), (8, columns))
    for bits in (swizzle, swizzle - 1):
        atom = cute.parse(f"Sw<{bits},4,3> o smem_ptr[16b](unset) o (8,{columns}):({columns},1)")
        assert bool(prove(Agree(tile, cute.descriptor(atom)))) is (bits == swizzle)
    across = from_triton(nvmma(width, 16, transposed=True), (columns, 8))
    atom = cute.parse(f"Sw<{swizzle},4,3> o smem_ptr[16b](unset) o ({columns},8):(1,{columns})")
    assert prove(Agree(across, cute.descriptor(atom)))


def test_half_of_what_fp4_reads_is_empty() -> None:
    tile = from_triton(nvmma(128, 8, more=", fp4Padded = true"), (8, 64))
    assert isinstance(tile, TensorDescriptor)
    assert [int(tile.offset((1, column))) for column in (0, 7, 8, 16)] == [128 + 16, 128 + 23, 128, 128 + 48]


@pytest.mark.parametrize(("width", "free"), [(128, True), (64, True), (32, True), (0, False)])
def test_rows_are_free_by_their_swizzle(width: int, free: bool) -> None:
    """8 lanes of a phase read the first 16 bytes of 8 rows, on the lane groups of sm_90."""
    rows = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>"
    found = conflict_free(nvmma(width, 16), rows, "sm_90", shape=(32, 64), dtype="f16")
    assert isinstance(found.verdict, Proved if free else Refuted)


def test_objects_of_gluon_are_read() -> None:
    """By the fields of its classes: `gluon/language/_layouts.py`, `amd/cdna5/_layouts.py`."""
    kinds = {
        name: type(name, (), {}) for name in ("NVMMASharedLayout", "PartitionedSharedLayout", "SwizzledSharedLayout")
    }

    def made(kind: str, **fields: object) -> object:
        given = kinds[kind]()
        vars(given).update(fields)
        return given

    inner = made("SwizzledSharedLayout", vec=1, per_phase=1, max_phase=1, order=[1, 0], cga_layout=[])
    parts = made("PartitionedSharedLayout", num_partitions=2, num_groups=4, partition_dim=0, partition_layout=inner)
    assert str(attribute_of(parts)) == in_partitions(ROWS)
    tile = made(
        "NVMMASharedLayout", swizzle_byte_width=128, element_bitwidth=16, rank=2, transposed=False, fp4_padded=False,
        cga_layout=[],
    )  # fmt: skip
    assert str(attribute_of(tile)) == nvmma(128, 16, more=", fp4Padded = false, rank = 2")
