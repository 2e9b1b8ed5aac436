"""CK's bases: one table for files, for C++ and for taking a descriptor apart again."""

from __future__ import annotations

import pytest

from layoutalg.formats import dump, loads
from layoutalg.formats.bases import BASES, base_of
from layoutalg.formats.ck_write import to_ck
from layoutalg.formats.layers import layers
from layoutalg.index import as_expr
from layoutalg.layout import LayoutError, PassThrough, TensorDescriptor, attach
from layoutalg.layout.adaptor import make_identity
from layoutalg.layout.merge import Unmerge24Bit

LENGTHS, STRIDES = (3, 4), (8, 2)
GIVEN: dict[str, tuple[object, ...]] = {
    "naive": (LENGTHS, STRIDES),
    "packed": (LENGTHS,),
    "aligned": (LENGTHS, 8),
    "naive_with_offset": (LENGTHS, STRIDES, 16),
}


@pytest.mark.parametrize("kind", BASES)
def test_a_base_is_known_again_in_files_and_in_c(kind: str) -> None:
    base = BASES[kind]
    made = base.make(*GIVEN[kind])
    keys = dict(zip((*base.lists, *base.numbers), GIVEN[kind], strict=True))
    inner = ", ".join(f"{key} = {list(v) if isinstance(v, tuple) else v}" for key, v in keys.items())
    file = loads(f'[[descriptor]]\nname = "d"\nbase = {{ kind = "{kind}", {inner} }}\n')
    assert file.descriptor("d").descriptor == made
    assert loads(dump(file)).descriptor("d").descriptor == made
    found, given, rest = base_of(layers(made.adaptor))
    assert not rest
    assert found.make(*given) == made
    assert f"return {found.make.__name__}(" in to_ck(made)


@pytest.mark.parametrize("first", [PassThrough(as_expr(4)), Unmerge24Bit((as_expr(4),))])
def test_what_is_no_base_is_refused(first: PassThrough | Unmerge24Bit) -> None:
    made = TensorDescriptor(attach(make_identity(1), [first], [[0]], [[0]]), as_expr(4))
    with pytest.raises(LayoutError, match="is no base of a descriptor"):
        base_of(layers(made.adaptor))
