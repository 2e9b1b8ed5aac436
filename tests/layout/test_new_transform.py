"""A new transform is one class: files, JSON, pictures, words and the prover have it from there.

The recipe of CONTRIBUTING, followed: the class below is all that is written, and `TRANSFORMS` its one line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from layoutalg.draw.graph import graph
from layoutalg.errors import SpecError
from layoutalg.explain.words import steps
from layoutalg.formats import DescriptorItem, SpecFile, TransformItem, dump, loads
from layoutalg.formats.check import check
from layoutalg.formats.ck_write import to_ck
from layoutalg.index import Expr, Term, as_expr
from layoutalg.layout import (
    TRANSFORMS,
    LayoutError,
    Transform,
    attach,
    make_naive_tensor_descriptor_packed,
    transform_tensor_descriptor,
)
from layoutalg.layout.adaptor import make_identity
from layoutalg.layout.transform import Index


@dataclass(frozen=True, repr=False)
class Mirror(Transform):
    """lower = length − 1 − upper: a dimension from its end."""

    length: Expr
    name: ClassVar[str] = "mirror"

    @property
    def lower_lengths(self) -> tuple[Expr | None, ...]:
        return (self.length,)

    def lower(self, upper: Sequence[Term]) -> Index:
        return (self.length - 1 - as_expr(upper[0]),)

    def upper(self, lower: Sequence[Term]) -> Index:
        return self.lower(lower)

    def words(self, low: Sequence[str], up: Sequence[str]) -> str:
        return f"{up[0]} is {low[0]} from its end."


KNOWN = {**TRANSFORMS, Mirror.name: Mirror}

TEXT = """
symbols = { M = { min = 1, max = 4096 } }

[[transform]]
name = "mirrored"
transform = "mirror"
length = "M"
claims = ["in_bounds", "injective", "bijective", "round_trip", "round_trip_lower", "increments"]
examples = [{ index = [0], lower = ["M - 1"] }, { index = [0], lower = [0], expect = "refuted" }]

[[descriptor]]
name = "rows"
base = { kind = "packed", lengths = ["M", 8] }
steps = [[
  { transform = "mirror", length = "M", lower = [0], upper = [0] },
  { transform = "pass_through", length = 8, lower = [1], upper = [1] },
]]
claims = ["in_bounds", "injective", "contiguous(8)"]
"""


def read(text: str = TEXT) -> SpecFile:
    return loads(text, transforms=KNOWN)


def rows() -> DescriptorItem:
    return read().descriptor("rows")


def test_a_file_has_it_and_is_written_back() -> None:
    (item,) = (i for i in read().items if isinstance(i, TransformItem))
    again = loads(dump(read()), transforms=KNOWN)
    assert isinstance(item.transform, Mirror)
    assert repr(item.transform) == "mirror(M)"
    assert dump(again) == dump(read())
    assert again.descriptor("rows").descriptor == rows().descriptor


def test_its_keys_are_checked() -> None:
    with pytest.raises(SpecError, match="the key 'length' is missing"):
        read('[[transform]]\nname = "m"\ntransform = "mirror"\n')
    with pytest.raises(SpecError, match="unknown key 'lengths'; did you mean 'length'"):
        read('[[transform]]\nname = "m"\ntransform = "mirror"\nlength = 3\nlengths = [3]\n')
    with pytest.raises(SpecError, match="'mirror' is none of pass_through"):
        loads(TEXT)


def test_every_claim_of_it_is_proved_for_all_sizes() -> None:
    results = list(check(read()))
    assert [r.claim for r in results if not r] == []
    assert len(results) == 11


def test_it_is_evaluated() -> None:
    d = transform_tensor_descriptor(make_naive_tensor_descriptor_packed((5,)), [Mirror(as_expr(5))], [[0]], [[0]])
    assert [int(d.offset((i,))) for i in range(5)] == [4, 3, 2, 1, 0]
    assert attach(make_identity(1), [Mirror(as_expr(5))], [[0]], [[0]]).upper((1,)) == (3,)


def test_it_is_drawn_and_said() -> None:
    assert "mirror" in str(graph(rows().descriptor))
    said = steps(rows().descriptor.adaptor)[1]
    assert (said.words, said.down, said.back) == (
        "i0 is d1 from its end.", ("d1 = M + i0 * -1 - 1",), ("i0 = M + d1 * -1 - 1",),
    )  # fmt: skip


def test_ck_has_no_function_for_it() -> None:
    with pytest.raises(LayoutError, match=r"CK Tile has no function for mirror\(M\)"):
        to_ck(rows().descriptor)
