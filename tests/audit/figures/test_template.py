"""Templates of launch files: whatever a kernel's arguments are, the text loads, and fits the kernel."""

import pytest

from layoutalg.audit.figures.template import Frame, Guesses, PointerUse, leaves, named, template
from layoutalg.formats.launch import Struct, laid_out
from layoutalg.formats.spec import loads
from layoutalg.index import symbol
from layoutalg.interop.parameters import KernelParameter
from layoutalg.isa.container.metadata import Argument


def pointer(offset: int, *accesses: str) -> Argument:
    return Argument(offset, 8, "global_buffer", "global", frozenset(accesses))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 8, 12, 16, 40, 200])
def test_arguments_of_any_size_are_given_whole(size: int) -> None:
    launch = loads(template("k", named((Argument(0, size, "by_value"),)), Frame((64,), 1))).launch
    (one,) = launch.arguments
    given = sum(field.bytes for field in one.fields) if hasattr(one, "fields") else size
    assert given == size


def test_what_is_stored_to_is_written_and_what_is_not_accessed_is_unused() -> None:
    arguments = named((pointer(0), pointer(8), pointer(16)))
    used = {"p0": PointerUse(2, stored=False), "p1": PointerUse(16, stored=True)}
    file = loads(template("k", arguments, Frame((32, 8), 2), used))
    assert file.launch.tensors == ("p0", "p1")
    assert file.launch.writes == ("p1",)
    assert [file.descriptor(name).dtype for name in ("p0", "p1")] == ["f16", "f64"]
    assert len(file.launch.arguments) == 3
    assert len(file.launch.grid) == 2


def test_what_is_loaded_and_stored_to_has_a_line_for_what_is_there_at_first() -> None:
    arguments = named((pointer(0), pointer(8)))
    used = {"p0": PointerUse(4, stored=True), "p1": PointerUse(4, stored=True, loaded=True)}
    assert 'initially = []  # on what p1 hold when it begins: "p1[i] == 0"' in template(
        "k", arguments, Frame((64,), 1), used
    )


def test_where_nothing_is_known_only_what_is_said_to_be_read_is_not_written() -> None:
    arguments = named((pointer(0, "read_only"), pointer(8), Argument(16, 8, "image")))
    file = loads(template("k", arguments, Frame((64,), 3)))
    assert file.launch.writes == ("p1",)
    assert len(file.launch.arguments) == 3
    assert len(file.launch.grid) == 3


def test_a_kernel_without_arguments_has_a_launch_too() -> None:
    assert loads(template("k", (), Frame((64,), 1))).launch.arguments == ()


SAID = (
    KernelParameter("x", 8, "f32", points=True, each=4, constant=True, written="const float4*"),
    KernelParameter("lds", 4, "i32", divisible=16),
    KernelParameter("alpha", 4, "f32"),
    KernelParameter("x", 8, "bf16", points=True),
)
GIVEN = pointer(0), Argument(8, 4, "by_value"), Argument(12, 4, "by_value"), pointer(16), pointer(24)


def test_names_and_types_are_those_of_the_source_each_name_once() -> None:
    found = named(GIVEN, SAID)
    assert [one.name for one in found] == ["x", "lds_", "alpha", "x_", "scratch"]
    file = loads(template("k", found, Frame((64,), 1)))
    assert [file.descriptor(name).dtype for name in file.launch.tensors] == ["f32", "bf16"]
    assert file.launch.writes == ("x_",)
    assert (file.symbols["lds_"].lo, file.symbols["lds_"].value.multiple_of) == (16, 16)
    assert [one.name for one in file.launch.given] == ["alpha"]


@pytest.mark.parametrize("said", [SAID[:2] * 2, (*SAID, *SAID), SAID[1:]])
def test_a_source_of_another_kernel_says_nothing(said) -> None:
    assert [one.name for one in named(GIVEN, said)] == ["p0", "a1", "a2", "p3", "p4"]


@pytest.mark.parametrize(
    "places", [((0, 4), (8, 8)), ((0, 1), (3, 1), (8, 2)), ((4, 4), (16, 8), (24, 1)), ((0, 8), (8, 4)), ((0, 2),)]
)
def test_fields_of_a_struct_lie_where_its_source_has_them(places) -> None:
    fields = tuple(KernelParameter(f"f{at}", size, at=at) for at, size in places)
    whole = KernelParameter("args", 32, fields=fields)
    (struct,) = loads(template("k", (whole,), Frame((64,), 1))).launch.arguments
    assert isinstance(struct, Struct)
    at, size = laid_out([one.bytes for one in struct.fields])
    assert size == 32
    assert {(place, one.bytes) for place, one in zip(at, struct.fields, strict=True)} >= {*places}
    assert [one.name for one in leaves((whole,))] == [f"f{at}" for at, _ in places]


def test_guesses_are_told_and_lengths_are_in_what_a_pointer_points_to() -> None:
    n = symbol("lds_", min=1)
    text = template("k", named(GIVEN, SAID), Frame((64,), 1), None, Guesses({"x": n * 4 - 3}, {0: n}))
    file = loads(text)
    assert file.launch.guessed
    assert [str(one) for one in file.descriptor("x").descriptor.lengths] == ["lds_", "4"]
    assert [str(one) for one in file.launch.grid] == ["lds_"]
    assert all("guess" in line for line in text.splitlines() if line.startswith(("base", "grid", "block")))
