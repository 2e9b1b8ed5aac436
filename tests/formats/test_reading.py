"""Spec files that are wrong: one clear line each, with file, line, key and what was expected."""

from __future__ import annotations

import json
import random
import re

import pytest

from layoutalg.formats import SpecError, dump, load, loads

D = '[[descriptor]]\nname = "d"\n'
STEP = 'base = { kind = "packed", lengths = [2, 6] }\nsteps = [[\n'

BAD = [
    # (text, line, key, part of the reason)
    (D, 1, "descriptor[0]", "the key 'base' is missing"),
    ('[[descriptor]]\nbase = { kind = "packed", lengths = [2] }', 1, "descriptor[0]", "the key 'name' is missing"),
    (D + 'base = { kind = "packt", lengths = [2] }', 3, "descriptor[0].base.kind", "did you mean 'packed'?"),
    (D + 'base = { kind = "packed", length = [2] }', 3, "descriptor[0].base.length", "did you mean 'lengths'?"),
    (D + 'base = { kind = "packed", lengths = [2, -3] }', 3, "descriptor[0].base", "a length is at least 0"),
    (D + 'base = { kind = "packed", lengths = [] }', 3, "descriptor[0].base.lengths", "a list of 1…64 entries"),
    (D + 'base = { kind = "packed", lengths = [2.5] }', 3, "descriptor[0].base.lengths[0]", "not the fraction 2.5"),
    (D + 'base = { kind = "packed", lengths = [true] }', 3, "descriptor[0].base.lengths[0]", "not true"),
    (D + 'base = { kind = "packed", lengths = ["N"] }', 3, "descriptor[0].base.lengths[0]", "'N'"),
    (D + 'base = { kind = "packed", lengths = ["8 //"] }', 3, "descriptor[0].base.lengths[0]", "8 //"),
    (D + 'base = { kind = "packed", lengths = ["8 // 0"] }', 3, "descriptor[0].base.lengths[0]", "0"),
    (D + 'base = { kind = "packed", lengths = ["__import__(1)"] }', 3, "descriptor[0].base.lengths[0]", "__import__"),
    (D + 'base = { kind = "packed", lengths = [4611686018427387904] }', 3, "descriptor[0].base", "2^62"),
    (D + 'base = { kind = "packed", lengths = [2147483648, 2147483648] }', 3, "descriptor[0].base", "2^62"),
    (D + 'base = { kind = "packed", lengths = [99999999999999999999999] }', 3, "descriptor[0].base.lengths[0]", "9999"),
    (D + 'base = { kind = "naive", lengths = [2, 2], strides = [1] }', 3, "descriptor[0].base", "2 lengths but 1"),
    (
        D + 'base = { kind = "naive", lengths = [2, 2], strides = [4611686018427387904, 1] }',
        3, "descriptor[0].base", "2^62",
    ),
    (D + 'base = { kind = "descriptor", name = "e" }', 3, "descriptor[0].base.name", "no descriptor named 'e'"),
    (D + 'base = { kind = "descriptor", name = "d" }', 3, "descriptor[0].base.name", "d -> d"),
    (
        D + 'base = { kind = "descriptor", name = "e" }\n[[descriptor]]\nname = "e"\n'
        'base = { kind = "descriptor", name = "d" }', 6, "descriptor[1].base.name", "d -> e -> d",
    ),
    (D + 'base = { kind = "packed", lengths = [2] }\n' + D + 'base = { kind = "packed", lengths = [2] }',
     5, "descriptor[1].name", "a second descriptor named 'd'"),
    (D + STEP + '{ transform = "pas_through", length = 2, lower = [0], upper = [0] }]]',
     5, "descriptor[0].steps[0][0].transform", "did you mean 'pass_through'?"),
    (D + STEP + '{ transform = "pass_through", length = 2, lower = [0], upper = [0] }]]',
     4, "descriptor[0].steps[0]", "lower dimension 1 is used by no transform"),
    (D + STEP + '{ transform = "pass_through", length = 2, lower = [0], upper = [0] },\n'
     '{ transform = "pass_through", length = 6, lower = [0], upper = [1] }]]',
     4, "descriptor[0].steps[0]", "lower dimension 0 is used 2 times"),
    (D + STEP + '{ transform = "pass_through", length = 2, lower = [0], upper = [0] },\n'
     '{ transform = "pass_through", length = 6, lower = [1], upper = [0] }]]',
     4, "descriptor[0].steps[0]", "upper dimension 0 is used 2 times"),
    (D + STEP + '{ transform = "merge", lengths = [2, 6], lower = [0, 2], upper = [0] }]]',
     4, "descriptor[0].steps[0]", "lower dimension 2 does not exist"),
    (D + STEP + '{ transform = "pass_through", length = 2, lower = [0], upper = [0] },\n'
     '{ transform = "pass_through", length = 9, lower = [1], upper = [1] }]]',
     6, "descriptor[0].steps[0][1]", "its lower length is 9, the dimension's is 6"),
    (D + STEP + '{ transform = "pass_through", length = 2, lower = [0], upper = [0] },\n'
     '{ transform = "slice", length = 6, begin = 4, end = 2, lower = [1], upper = [1] }]]',
     6, "descriptor[0].steps[0][1]", "begin 4 is not below end 2"),
    (D + STEP + '{ transform = "pass_through", length = 2, lower = [0], upper = [0] },\n'
     '{ transform = "slice", length = 6, begin = 4, end = 7, lower = [1], upper = [1] }]]',
     6, "descriptor[0].steps[0][1]", "not within a dimension of length 6"),
    (D + STEP + '{ transform = "pass_through", length = 2, lower = [0], upper = [0] },\n'
     '{ transform = "freeze", index = 6, lower = [1], upper = [] }]]',
     6, "descriptor[0].steps[0][1]", "indices 0…5 only"),
    (D + STEP + '{ transform = "pass_through", length = 2, lower = [0], upper = [0] },\n'
     '{ transform = "modulo", modulus = 0, length = 6, lower = [1], upper = [1] }]]',
     6, "descriptor[0].steps[0][1]", "modulus 0"),
    (D + STEP + '{ transform = "xor", lengths = [2, 6, 3], lower = [0, 1], upper = [0, 1] }]]',
     5, "descriptor[0].steps[0][0].lengths", "a list of 2…2 entries"),
    (D + 'base = { kind = "packed", lengths = [4] }\nclaims = ["injektive"]', 4, "descriptor[0].claims[0]",
     "did you mean 'injective'?"),
    (D + 'base = { kind = "packed", lengths = [4] }\nclaims = ["contiguous"]', 4, "descriptor[0].claims[0]",
     "takes 1…2 arguments, not 0"),
    (D + 'base = { kind = "packed", lengths = [4] }\nclaims = ["conflict_free"]', 4, "descriptor[0].claims[0]",
     "a claim about access, not about descriptor"),
    (D + 'base = { kind = "packed", lengths = [4] }\ndtype = "float16"', 4, "descriptor[0].dtype", "is none of f64"),
    (D + 'base = { kind = "packed", lengths = [4] }\nexamples = [{ index = [4], offset = 4 }]', 4,
     "descriptor[0].examples[0].index[0]", "outside dimension 0, which has 0…3"),
    (D + 'base = { kind = "packed", lengths = [4] }\nexamples = [{ index = [4, 1], offset = 4 }]', 4,
     "descriptor[0].examples[0].index", "2 coordinates for 1 dimensions"),
    (D + 'base = { kind = "packed", lengths = [4] }\nexamples = [{ index = [1] }]', 4, "descriptor[0].examples[0]",
     "an example says one of"),
    ('[[transform]]\nname = "t"\ntransform = "indexing"\ntable = [1, "x"]', 4, "transform[0].table[1]", "symbol 'x'"),
    ('[[transform]]\nname = "t"\ntransform = "functor"\nvariable = "x"\nfunction = "y"\nlength = 3', 5,
     "transform[0].function", "'y'"),
    ('[[transform]]\nname = "t"\ntransform = "indexing"\ntable = [4, 1]\nexamples = [{ index = [2], lower = [2] }]', 5,
     "transform[0].examples[0].index[0]", "outside dimension 0, which has 0…1"),
    ('[[lemma]]\nname = "l"\nvariables = { a = 3 }\ngoal = "table[4, 7][a] == 4"', 4, "lemma[0].goal", "table"),
    ("symbols = { M = { min = 8, max = 4 } }", 1, "symbols.M", "leave it no value"),
    ("symbols = { and = { } }", 1, "symbols.and", "an operator of expressions"),
    ("symbols = { else = { } }", 1, "symbols.else", "an operator of expressions"),
    ("symbols = { M = { multiple_of = 0 } }", 1, "symbols.M.multiple_of", "at least 1"),
    ("[symbols.M]\nmin = 1\nmax = true", 3, "symbols.M.max", "not true"),
    ("descriptors = []", 1, "descriptors", "did you mean 'descriptor'?"),
    ("descriptor = 3", 1, "descriptor", "a list is expected, not 3"),
    ('[[lemma]]\nname = "l"\ngoal = "1 + 2"', 3, "lemma[0].goal", "a formula is expected"),
    ('symbols = { M = {} }\n[[lemma]]\nname = "l"\nvariables = { M = 3 }\ngoal = true', 4, "lemma[0].variables.M",
     "M is a symbol of this file"),
    ('[[lemma]]\nname = "l"\ngoal = true\nbecause = "x"', 4, "lemma[0].because", 'where expect = "refuted"'),
    ('[[lemma]]\nname = "l"\ngoal = true\nexpect = "refused"', 4, "lemma[0].expect", "never refused"),
    (D + 'base = { kind = "packed", lengths = [4] }\n[[access]]\nname = "a"\ndescriptor = "d"', 4, "access[0]",
     "give either distribution"),
    (D + 'base = { kind = "packed", lengths = [4] }\n[[access]]\nname = "a"\ndescriptor = "d"\nindex = ["lane", 0]',
     4, "access[0]", "2 coordinates for the 1 dimensions of d"),
    (D + 'base = { kind = "packed", lengths = [64] }\n[[access]]\nname = "a"\ndescriptor = "d"\nindex = ["lane"]\n'
     'instruction = "ds_read_b97"\ntargets = ["gfx942"]', 9, "access[0].targets[0]", "ds_read_b97"),
    (D + 'base = { kind = "packed", lengths = [64] }\n[[access]]\nname = "a"\ndescriptor = "d"\nindex = ["lane"]\n'
     'targets = ["gfx1"]', 8, "access[0].targets", "unknown target 'gfx1'"),
    (D + 'base = { kind = "packed", lengths = [64] }\n[[access]]\nname = "a"\ndescriptor = "d"\nindex = ["lane"]\n'
     'targets = ["gfx942", "gfx1100"]', 8, "access[0].targets", "waves of [32, 64] lanes"),
    ('[[distribution]]\nname = "t"\nhs = [[4, 2]]\nps_major = [[1]]\nps_minor = [[5]]\nys_major = [1]\nys_minor = [1]',
     1, "distribution[0]", "minor 5 of Hs[0] does not exist"),
    ('[[distribution]]\nname = "t"\nhs = [[4, 2]]\nps_major = [[1]]\nps_minor = [[0]]\nys_major = [1]\nys_minor = [1]\n'
     "wave_size = 64", 1, "distribution[0]", "P0 has length 4"),
    ("a = [1", 1, "", "not TOML"),
    ("a = 1\na = 2", 2, "", "not TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "key", "reason"), BAD, ids=range(len(BAD)))
def test_one_clear_line(text: str, line: int, key: str, reason: str) -> None:
    with pytest.raises(SpecError) as caught:
        loads(text, "bad.toml")
    error = caught.value
    message = str(error)
    assert reason in message
    assert message.startswith("bad.toml")
    assert "\n" not in message
    assert (error.key, error.line) == (key, line)


def test_json_errors_have_their_line() -> None:
    with pytest.raises(SpecError, match=r"^x\.json:2:13: not JSON") as caught:
        loads('{\n "symbols": }', "x.json", is_json=True)
    assert caught.value.line == 2
    with pytest.raises(SpecError, match=r"^x\.json:3:33: descriptor\[0\]\.base\.lengths: a list"):
        loads(
            '{"descriptor": [\n {"name": "d",\n  "base": {"kind": "packed",    "lengths": []}}]}',
            "x.json",
            is_json=True,
        )
    with pytest.raises(SpecError, match="'name' stands twice"):
        loads('{"descriptor": [{"name": "d", "name": "e"}]}', "x.json", is_json=True)


def test_a_message_holds_nothing_that_a_terminal_would_obey() -> None:
    for key in ("\x1b[2J", "\u202e", "\x9b31m"):
        with pytest.raises(SpecError) as refused:
            loads(json.dumps({key: 1}), is_json=True)
        assert str(refused.value).isprintable()


@pytest.mark.parametrize("text", ["a = " + "[" * 20000, "a = " + "[" * 20000 + "]" * 20000, "a = " + "1" * 6000])
def test_nothing_overflows(text: str) -> None:
    with pytest.raises(SpecError):
        loads(text)
    with pytest.raises(SpecError):
        loads(text[4:], is_json=True)


def test_deep_json_is_refused() -> None:
    with pytest.raises(SpecError):
        loads('{"descriptor":' * 900 + "1" + "}" * 900, is_json=True)


def test_files_that_cannot_be_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SpecError, match=r"cannot be read: No such file"):
        load(tmp_path / "missing.toml")
    with pytest.raises(SpecError, match="cannot be read"):
        load(tmp_path)
    (tmp_path / "binary.toml").write_bytes(b"a = 1\n\xff\xfe")
    with pytest.raises(SpecError, match=r"binary\.toml:2: is no UTF-8 text"):
        load(tmp_path / "binary.toml")
    (tmp_path / "large.toml").write_bytes(b"#" * (5 << 20))
    with pytest.raises(SpecError, match="larger than 4 MiB"):
        load(tmp_path / "large.toml")


GOOD = """
symbols = { M = { min = 1, max = 64, multiple_of = 8 } }
[[descriptor]]
name = "d"
base = { kind = "naive", lengths = [8, "M", 8], strides = ["(M+1)*8", 8, 1] }
steps = [[{ transform = "pass_through", length = "M", lower = [1], upper = [0] },
          { transform = "merge", lengths = [8, 8], lower = [0, 2], upper = [1] }]]
claims = ["in_bounds", "contiguous(8)"]
examples = [{ index = [0, 8], offset = "8 * M + 8" }]
[[lemma]]
name = "l"
variables = { a = "M" }
goal = "a < M"
"""
WORDS = ["0", "1", "2", "8", "64", "99999999999999999999", "M", "d", "l", "a", "true", "lower", "merge", "", "é"]
MARKS = ["[", "]", "{", "}", '"', "=", ",", "\n", "-", "//", "#", "\\", "[[descriptor]]\n", "\x00", "'''", " "]


def test_mutated_files_are_read_or_refused() -> None:
    seed = 20251121
    rng = random.Random(seed)
    tokens = re.findall(r"\w+|\W", GOOD)
    read = 0
    for n in range(1500):
        changed = list(tokens)
        for _ in range(rng.randrange(1, 3)):
            at = rng.randrange(len(changed))
            changed[at] = rng.choice(WORDS if changed[at].isalnum() or rng.random() < 0.1 else MARKS)
        try:
            file = loads("".join(changed), f"seed {seed}, case {n}")
        except SpecError as error:
            lines = str(error).count("\n")
            assert not lines, f"seed {seed}, case {n}"
            continue
        assert dump(file)
        read += 1
    assert 60 < read < 1400  # some survive, most do not
