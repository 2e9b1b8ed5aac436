"""Layouts in other notations: a text says the same offsets, what is not proved is withheld, what cannot be is told."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, seed, settings

from layoutalg import cpp
from layoutalg.cpp import convert, value_of
from layoutalg.formats import DescriptorItem, loads
from layoutalg.formats.check import check
from layoutalg.index.evaluate import grid
from layoutalg.interop import cute, triton
from layoutalg.layout import TensorDescriptor
from layoutalg.prove import Proved
from tests.fuzzing import SEED
from tests.layout.chains import chains
from tests.native import told

FILE = """
symbols = { M = { min = 8, max = 4096, multiple_of = 8 }, int = { min = 1, max = 99 } }
[[descriptor]]
name = "a-1"
base = { kind = "naive", lengths = [8, 2, 4], strides = [16, 1, 2] }
steps = [[
  { transform = "merge",        lengths = [2, 4], lower = [1, 2], upper = [0] },
  { transform = "pass_through", length = 8,       lower = [0],    upper = [1] },
]]
[[descriptor]]
name = "swizzled"
base = { kind = "cute", layout = "Sw<3,3,3> o 0 o (64,64):(64,1)" }
claims = ["in_bounds", { equals = "a-1", expect = "refuted" }]
[[descriptor]]
name = "sizes"
base = { kind = "naive", lengths = ["M", "int"], strides = ["int * 2", 1] }
[[descriptor]]
name = "padded"
base = { kind = "packed", lengths = [6] }
steps = [[{ transform = "right_pad", length = 6, right = 2, lower = [0], upper = [0] }]]
[[descriptor]]
name = "backwards"
base = { kind = "strided", lengths = [4, 8], strides = [-8, 1], offset = 24, storage = 64 }
[[descriptor]]
name = "x48"
base = { kind = "packed", lengths = [48, 48] }
steps = [[{ transform = "xor", lengths = [48, 48], lower = [0, 1], upper = [0, 1] }]]
[[distribution]]
name = "tile"
hs = [[4, 2], [8, 4]]
ps_major = [[1, 2]]
ps_minor = [[0, 0]]
ys_major = [1, 2]
ys_minor = [1, 1]
"""
SPEC = loads(FILE)
ITEMS: dict[str, convert.Item] = {item.name: item for item in (*SPEC.descriptors, *SPEC.distributions)}
CUTE = {"a-1": "((4,2),8):((2,1),16)", "swizzled": "Sw<3,3,3> o 0 o (64,64):(64,1)", "sizes": "(M,int):(int * 2,1)",
        "backwards": "Sw<0,0,0> o 24 o (4,8):(-8,1)"}  # fmt: skip
NONE = {
    ("padded", "cute"): "index (6) is padding",
    ("padded", "triton"): "padding",
    ("x48", "cute"): "index (1,1) is not the sum of its dimensions' parts",
    ("x48", "triton"): "no power of two; padded to 64, it may have a layout",
    ("sizes", "triton"): "dimension 0 has length M, which is not fixed",
    ("backwards", "triton"): "",
    ("tile", "cute"): "a distribution lies over no memory; its notations are spec, ck and triton",
    ("tile", "cpp"): "a distribution lies over no memory",
}
"""What has no form in a notation, and why."""


@pytest.mark.parametrize(("name", "to"), list(itertools.product(ITEMS, convert.NOTATIONS)))
def test_each_has_a_proved_form_or_a_reason(name: str, to: str) -> None:
    made = convert.convert(ITEMS[name], to)
    if (name, to) in NONE:
        assert not made
        assert (made.text, made.verdict) == ("", None)
        assert NONE[name, to] in made.reason
        return
    assert isinstance(made.verdict, Proved), made.reason
    assert made.text
    if to == "cute":
        assert made.text == CUTE[name]


def offsets(d: TensorDescriptor) -> list[int | None]:
    found, valid = (np.asarray(grid(e, d.index)).ravel() for e in (d.offset(d.index), d.valid(d.index)))
    return [int(o) if v else None for o, v in zip(found, valid, strict=True)]


def again(made: convert.Conversion, to: str, like: TensorDescriptor) -> list[int | None]:
    """The offsets of the text, each notation by its own reader."""
    if to == "cpp":
        name = made.text.split("(")[0].split()[-1]
        found = [int(x) for x in grid(value_of(made.text, name, like.index), like.index).ravel()]
        return [None if x == -1 else x for x in found]
    if to == "cute":
        return offsets(cute.descriptor(cute.parse(made.text)))
    if to == "triton":
        read = triton.from_triton(made.text, [int(n) for n in like.lengths])
        assert isinstance(read, TensorDescriptor)
        return offsets(read)
    return offsets((loads(made.text) if to == "spec" else cpp.loads(made.text)).descriptors[0].descriptor)


@pytest.mark.slow
def test_random_layouts_are_what_the_texts_say() -> None:
    tally = Counter[tuple[str, bool]]()

    @seed(SEED)
    @settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(chains())
    def check(d: TensorDescriptor) -> None:
        if d.is_empty or np.prod([int(n) for n in d.lengths]) > 5000:
            return
        for to in convert.NOTATIONS:
            made = convert.convert(DescriptorItem(name="d", descriptor=d), to)
            tally[to, bool(made)] += 1
            if made:
                assert again(made, to, d) == offsets(d), (to, made.text)

    check()
    assert all(tally[to, True] > 0 for to in ("cute", "ck", "spec", "cpp")), tally


def test_a_wrong_text_is_refuted_and_withheld(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each writer, with its text tampered with."""
    item = ITEMS["a-1"]
    for to, write in convert.NOTATIONS.items():
        right = convert.convert(item, to)
        assert right
        wrong = {
            "cute": ("((4,2),8):((2,1),17)", "16", "17"), "triton": ("", "[8:+8]", "[8:+16]"),
            "ck": ("", "number<16>", "number<17>"), "spec": ("", "16", "17"), "cpp": ("", "* 16", "* 17"),
        }[to]  # fmt: skip
        assert wrong[1] in right.text, to
        _tamper(monkeypatch, to, *wrong[1:])
        made = convert.convert(item, to)
        assert made.verdict is not None, (to, made.reason)
        assert made.verdict.name == "refuted", to
        assert made.text == ""
        assert "index (0, 1)" in made.reason, to
        assert write is convert.NOTATIONS[to]


def _tamper(monkeypatch: pytest.MonkeyPatch, to: str, old: str, new: str) -> None:
    module, name = {
        "cute": (convert.cute, "layout_of"), "triton": (convert.triton, "to_triton"), "ck": (convert.ck_write, "to_ck"),
        "spec": (convert, "dump"), "cpp": (convert, "c_expression"),
    }[to]  # fmt: skip
    right = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *a, **k: str(right(*a, **k)).replace(old, new))


def test_a_text_is_read_as_a_layout() -> None:
    swizzled = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"
    assert convert.convert(convert.read_text("triton", swizzled, (64, 64)), "cute").text == CUTE["swizzled"]
    assert convert.convert(convert.read_text("cute", CUTE["a-1"]), "cute").text == CUTE["a-1"]


@pytest.mark.slow
def test_the_plain_function_computes_the_offsets(tmp_path: Path) -> None:
    """Compiled by clang and run, as C: the text means what the proof says that it does."""
    names = [name for name in ITEMS if (name != "sizes" and (name, "cpp") not in NONE)]
    texts, calls, wanted = [], [], []
    for name in names:
        item = ITEMS[name]
        assert isinstance(item, DescriptorItem)
        made = convert.convert(item, "cpp")
        texts.append(made.text)
        function = made.text.split("(")[0].split()[-1]
        loops = "".join(f"for (long long i{n} = 0; i{n} < {k}; i{n}++) " for n, k in enumerate(item.descriptor.lengths))
        index = ", ".join(f"i{n}" for n in range(item.descriptor.rank))
        calls.append(f"{loops}tell({function}({index}));")
        wanted += [-1 if o is None else o for o in offsets(item.descriptor)]
    source = "".join(texts) + "void run(void (*tell)(long long)) {\n" + "\n".join(calls) + "\n}\n"
    assert told(source, tmp_path, "-Dconstexpr=static") == wanted


RELATED = """
symbols = { M = { min = 8, max = 4096, multiple_of = 8 }, V = { min = 1, max = 8, power_of_two = true } }
[[descriptor]]
name = "rows"
base = { kind = "packed", lengths = ["M", 8] }
given = ["V <= 4", "M >= 16"]
claims = ["contiguous(8)", { equals = "cute" }]
examples = [{ index = [1, "V"], offset = "8 + V" }]
[[descriptor]]
name = "copies"
base = { kind = "cute", layout = "(4,8):(0,1)" }
claims = [{ equals = "again" }]
[[descriptor]]
name = "again"
base = { kind = "cute", layout = "(4,8):(0,1)" }
claims = [{ claim = "injective", expect = "refuted" }]
[[descriptor]]
name = "cute"
base = { kind = "cute", layout = "(M,8):(8,1)" }
claims = ["in_bounds"]
[[distribution]]
name = "lanes"
base = { kind = "cute", shape = [4, 8], wave = 8, layout = "(8,4):(4,1)" }
claims = [{ equals = "others" }]
[[distribution]]
name = "others"
base = { kind = "cute", shape = [4, 8], wave = 8, layout = "((4,2),4):((4,16),1)" }
"""


def test_what_is_said_of_others_and_of_further_sizes_stays_behind_or_comes_along() -> None:
    """Of an item whose claims were all on others, that it stays in bounds; no file claims what is not so."""
    spec = loads(RELATED)
    items = (*spec.descriptors, *spec.distributions)
    made = [convert.convert(item, "spec") for item in items]
    assert all(made), [one.reason for one in made]
    claims = {
        item.name: [str(c) for c in loads(one.text).items[0].claims] for item, one in zip(items, made, strict=True)
    }
    assert (claims["rows"], claims["copies"], claims["lanes"]) == (["contiguous(8)"], ["in_bounds"], ["in_bounds"])
    whole = loads(convert.one_file([one.text for one in made]))
    assert set(whole.symbols) == {"M", "V"}
    assert [item.name for item in whole.items] == [item.name for item in items]
    for result in check(whole):
        assert result, result
