"""Templates of launch files: whatever a kernel's arguments are, the text loads, and fits the kernel."""

import pytest

from layoutalg.audit.figures.template import PointerUse, template
from layoutalg.formats.spec import loads
from layoutalg.isa.container.metadata import Argument


def pointer(offset: int, *accesses: str) -> Argument:
    return Argument(offset, 8, "global_buffer", "global", frozenset(accesses))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 6, 8, 12, 16, 40, 200])
def test_arguments_of_any_size_are_given_whole(size: int) -> None:
    launch = loads(template("k", (Argument(0, size, "by_value"),), (64,), 1)).launch
    (one,) = launch.arguments
    given = sum(field.bytes for field in one.fields) if hasattr(one, "fields") else size
    assert given == size


def test_what_is_stored_to_is_written_and_what_is_not_accessed_is_unused() -> None:
    arguments = pointer(0), pointer(8), pointer(16)
    used = {"p0": PointerUse(2, stored=False), "p1": PointerUse(16, stored=True)}
    file = loads(template("k", arguments, (32, 8), 2, "", used))
    assert file.launch.tensors == ("p0", "p1")
    assert file.launch.writes == ("p1",)
    assert [file.descriptor(name).dtype for name in ("p0", "p1")] == ["f16", "f64"]
    assert len(file.launch.arguments) == 3
    assert len(file.launch.grid) == 2


def test_where_nothing_is_known_only_what_is_said_to_be_read_is_not_written() -> None:
    arguments = pointer(0, "read_only"), pointer(8), Argument(16, 8, "image")
    file = loads(template("k", arguments, (64,), 3))
    assert file.launch.writes == ("p1",)
    assert len(file.launch.arguments) == 3
    assert len(file.launch.grid) == 3


def test_a_kernel_without_arguments_has_a_launch_too() -> None:
    assert loads(template("k", (), (64,), 1)).launch.arguments == ()
