"""Tensors of addresses: what a launch may say of them, and how runs lay them out."""

import json
import tomllib

import numpy as np
import pytest

from layoutalg.audit.audit import audit
from layoutalg.errors import LaunchError
from layoutalg.formats.dump import dump
from layoutalg.formats.reading import SpecError
from layoutalg.formats.spec import loads
from layoutalg.isa.run.launch import execute
from layoutalg.launch.concrete import MOST_POINTEES, bound
from tests.audit.test_audit_cases import asking

CASE = asking("pointed_to", "copied")
DIFFER = '"c_of[i] != c_of[j] for i != j", '


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('page_of = "page"', 'page_of = "a"', "a is memory of its own, by an argument or another pointer"),
        ('page_of = "page"', 'page_of = "o"', "o is memory of its own, by an argument or another pointer"),
        ('page_of = "page"', 'page_of = "N"', "'N' is no descriptor"),
        ('page_of = "page"', 'index = "page"', "index holds addresses: its dtype is u64 or i64"),
        ('writes = ["c", "o"]', 'writes = ["c", "o", "a_of"]', "a_of holds addresses: it is only read"),
        (DIFFER, '"c_of[i] > 4096", ', "of addresses it is assumed that no two are equal, and no more"),
        (DIFFER, DIFFER + '"page[0] == 1", ', "of what is pointed to, each element by itself is assumed"),
    ],
)
def test_what_cannot_be_so_is_refused_where_it_stands(old: str, new: str, message: str) -> None:
    assert old in CASE.launch
    with pytest.raises(SpecError, match=message):
        loads(CASE.launch.replace(old, new))


def test_addresses_by_which_a_kernel_stores_must_be_said_to_differ() -> None:
    with pytest.raises(LaunchError, match=r"c is stored to by .* c_of.*: say in assume .* c_of\[i\] != c_of\[j\]"):
        audit(CASE.code, loads(CASE.launch.replace(DIFFER, "")))


def test_what_is_taken_of_addresses_is_told() -> None:
    told = audit(CASE.code, loads(CASE.launch)).assumptions
    assert any(text.startswith("each element of a_of is the address of a tensor a") for text in told)


def test_json_says_the_same() -> None:
    again = loads(json.dumps(tomllib.loads(CASE.launch)), is_json=True)
    assert again.launch is not None
    assert again.launch.points == (("a_of", "a"), ("c_of", "c"), ("page_of", "page"))
    assert dump(again) == dump(loads(CASE.launch))


def test_a_run_goes_by_the_addresses_of_tensors_that_lie_apart() -> None:
    a = np.arange(3 * 70, dtype=np.float32).reshape(3, 70)
    made = bound(loads(CASE.launch), CASE.code.kernel.metadata, {"N": 70, "G": 3, "P": 1}, {"a": a}, {})
    (table,) = execute(CASE.code, made.grid, made.block, made.arguments).outputs[:1]
    assert len(set(table.tolist())) == 3
    assert not (table % 16).any()
    assert [one.name for one in made.tensors["c_of"].buffer.points] == ["c"] * 3


def test_more_addresses_than_a_run_lays_out_are_refused() -> None:
    sizes = {"N": 1, "G": MOST_POINTEES + 1, "P": 1}
    with pytest.raises(LaunchError, match="holds 65 addresses; at most 64 are laid out"):
        bound(loads(CASE.launch), CASE.code.kernel.metadata, sizes, {}, {})
