"""The table of claims says of every claim how it is written, of what, and in words; and files take no other."""

from __future__ import annotations

import pytest

from layoutalg.errors import SpecError
from layoutalg.formats import loads
from layoutalg.formats.claims import CLAIMS, USUAL, split, table

KINDS = {"descriptor", "transform", "adaptor", "distribution", "access", "box"}


def test_every_entry_is_whole() -> None:
    for name, form in CLAIMS.items():
        if form.of_another:
            assert form.written == f'{name} = "other"'
            continue
        written = split(form.written.replace("…", "n"))
        assert written is not None
        assert written[0] == name
        assert form.words
        assert form.of
        assert form.of <= KINDS
        assert 0 <= form.least <= form.most
        assert len(form.numbers) <= form.most


def test_usual_claims_are_claims_of_their_kind() -> None:
    assert set(USUAL) == KINDS
    assert all(kind in CLAIMS[name].of for kind, names in USUAL.items() for name in names)


def test_the_documentation_lists_each_claim_once() -> None:
    rows = table().splitlines()[2:]
    assert [row.split("`")[1].partition("(")[0].partition(" ")[0] for row in rows] == list(CLAIMS)


@pytest.mark.parametrize("name", [name for name, form in CLAIMS.items() if not form.of_another])
def test_a_claim_takes_no_more_than_its_arguments(name: str) -> None:
    form, many = CLAIMS[name], ", ".join(["1"] * 65)
    (kind, *_) = sorted(form.of)
    text = {
        "access": 'descriptor = "d"\nlanes = 4\nindex = ["lane"]\n', "adaptor": "steps = []\n",
        "box": 'tensor = "d"\nat = [0]\nlengths = [4]\n',
        "descriptor": 'base = { kind = "packed", lengths = [4] }\n',
        "distribution": "hs = [[4]]\nps_major = [[1]]\nps_minor = [[0]]\nys_major = []\nys_minor = []\n",
        "transform": 'transform = "pass_through"\nlength = 4\n',
    }[kind]  # fmt: skip
    around = (
        '[[descriptor]]\nname = "d"\nbase = { kind = "packed", lengths = [4] }\n' if kind in ("access", "box") else ""
    )
    with pytest.raises(SpecError, match=f"{name} takes .* arguments, not 65"):
        loads(f'{around}[[{kind}]]\nname = "x"\n{text}claims = ["{name}({many})"]\n')
