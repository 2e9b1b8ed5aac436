"""Honest code objects with bytes, fields and metadata edited at random.

`LAYOUTALG_FUZZ=20000 pytest -s tests/isa/container/test_binary_fuzz.py` is a long run; each failure names its seed.
Whatever an edit makes of a code object, it is refused in one line, or what loaders take of it (`loader`) is what it
was, or the kernel is proved and run anew: what is proved is exact, and only sizes and modes of it are other ones.
"""

import random
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from layoutalg.device.codeobject import CodeObject
from layoutalg.errors import CodeObjectError, DeviceError
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.descriptor import code_format
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import report
from layoutalg.target.known import decoded
from tests.fuzzing import FIRST, KNOWN, count
from tests.isa.containers import PROGRAM as PROGRAM_FIELDS
from tests.isa.containers import SECTION, SYMBOL, Edited
from tests.isa.edits import NAME, PROGRAM, alike, payload
from tests.isa.loader import view

CASES = count(150, dear=3)

#: What may be other than it was in a kernel that is proved anew.
MAY_DIFFER = {"descriptor", "block", "said", "uses"}


@pytest.mark.fuzz
@pytest.mark.slow
@pytest.mark.parametrize("target", decoded())
def test_no_edit_is_proved_that_a_loader_sees(target):
    seen = Counter()
    for seed in range(FIRST, FIRST + CASES // len(decoded())):
        how, code = edited(target, seed)
        seen[how, outcome(target, code, f"{target} seed {seed}: {how}")] += 1
    assert "refused in several lines" not in {what for _, what in seen}
    print(f"\n{target}:", ", ".join(f"{how} {what} {n}" for (how, what), n in sorted(seen.items())))
    if KNOWN and CASES >= 300:
        assert {what for _, what in seen} >= {"refused", "as it was"}


@cache
def honest(target):
    (kernel,) = read_kernels(payload(target)).values()
    return kernel, taken(target, payload(target), len(kernel.code))


def taken(target, code, length):
    return view(code, NAME, length, code_format(target).decoder)


def outcome(target, code, told):
    """What becomes of an edited code object; an AssertionError where it is wrong."""
    kernel, before = honest(target)
    try:
        CodeObject.read(code)
        found = read_kernels(code)[NAME]
    except CodeObjectError as error:
        return "refused" if "\n" not in str(error) else "refused in several lines"
    except KeyError:
        return "renamed"
    after = taken(target, code, len(kernel.code))
    if alike(found, kernel):
        assert after == before, told
        return "as it was"
    what = decided(replace(found, image=()))
    if what in ("proved", "too large to run"):
        assert {key for key in before if before[key] != after[key]} <= MAY_DIFFER, told
        assert after["arguments"] == before["arguments"], told
    return what


@cache
def decided(kernel):
    try:
        binary = decode_kernel(kernel)
        verdict = prove_binary(binary, PROGRAM, seconds=20)
        ran = report(binary, PROGRAM)
    except DeviceError:
        return "not run"
    if "are given to it here" in ran.get("refused", ""):
        return "too large to run"
    assert not verdict.proved or ran["exact"], (kernel, ran)
    return verdict.name


# Edits


def edited(target, seed):
    rng = random.Random(f"{target} {seed}")
    code = Edited(payload(target))
    edit = rng.choice(EDITS)
    for _ in range(rng.choice((1, 1, 1, 2))):
        edit(code, rng)
    return edit.__name__, bytes(code.payload)


def number(rng, bits, old=0):
    """A number of so many bits that is of interest."""
    near = [old + d for d in (-16, -8, -4, -1, 1, 4, 8, 16, 64, 256, 4096)]
    some = [0, 1, old ^ 1 << rng.randrange(bits), rng.getrandbits(bits), (1 << bits) - 1, 1 << bits - 1, *near]
    return rng.choice(some) % (1 << bits)


def field(code, rng, at, fields):
    name = rng.choice(list(fields))
    offset, form = fields[name]
    size = {"B": 1, "H": 2, "I": 4, "Q": 8}[form[1]]
    old = int.from_bytes(code.payload[at + offset :][:size], "little")
    code.write(at + offset, form, number(rng, 8 * size, old))


def any_byte(code, rng):
    text = code.pristine.get_section_by_name(".text")
    at = rng.choice([k for k in (rng.randrange(len(code.payload)) for _ in range(8))
                     if not text["sh_offset"] <= k < text["sh_offset"] + text["sh_size"]] or [0])  # fmt: skip
    code.payload[at] = number(rng, 8, code.payload[at])


def file_header(code, rng):
    at = rng.randrange(64)
    code.payload[at] = number(rng, 8, code.payload[at])


def program_header(code, rng):
    elf = code.pristine
    field(code, rng, elf["e_phoff"] + 56 * rng.randrange(elf["e_phnum"]), PROGRAM_FIELDS)


def section_header(code, rng):
    elf = code.pristine
    field(code, rng, elf["e_shoff"] + 64 * rng.randrange(elf["e_shnum"]), SECTION)


def a_symbol(code, rng):
    section = code.pristine.get_section_by_name(rng.choice((".dynsym", ".symtab")))
    field(code, rng, section["sh_offset"] + 24 * rng.randrange(section["sh_size"] // 24), SYMBOL)


def dynamic_section(code, rng):
    at = code.pristine.get_section_by_name(".dynamic")["sh_offset"] + 8 * rng.randrange(14)
    code.write(at, "<Q", rng.choice([number(rng, 64), *range(38)]))


def another_segment(code, rng):
    """A header that no loader needs becomes a segment or a note somewhere."""
    at = code.append(rng.randbytes(rng.choice((16, 256, 4096))))
    where = rng.choice([0x600, 0x1700, 0x1800, 0, 1 << 20, rng.getrandbits(40)])
    spare = next(k for k, segment in enumerate(code.pristine.iter_segments()) if segment["p_type"] == "PT_GNU_STACK")
    code.program(spare, kind=rng.choice((1, 1, 1, 2, 4)), flags=rng.randrange(8), offset=at, address=where,
                 file_size=rng.choice((0, 16)), memory_size=rng.choice((0, 16, 256)))  # fmt: skip


def descriptor_bit(code, rng):
    bit = rng.randrange(512)
    code.payload[code.place_of_descriptor + bit // 8] ^= 1 << bit % 8


def descriptor_field(code, rng):
    at = code.place_of_descriptor + 4 * rng.choice([0, 1, 2, 4, 11, 12, 13, 14])
    old = int.from_bytes(code.payload[at : at + 4], "little")
    code.write(at, "<I", number(rng, 32, old))


def metadata_value(code, rng):
    """A value somewhere in the document."""
    document = code.metadata
    at = document
    while True:
        key = rng.choice(list(at) if isinstance(at, dict) else range(len(at)))
        if not isinstance(at[key], dict | list) or not at[key] or rng.random() < 0.05:
            break
        at = at[key]
    if rng.random() < 0.1 and isinstance(at, dict):
        del at[key]
    else:
        at[key] = other(rng, at[key])
    code.write_metadata(document, **rng.choice([{}, {}, {}, {}, {"sections": False}, {"programs": False}]))


def other(rng, old):
    words = ["", "by_value", "global_buffer", "hidden_none", "local", "read_only", "write_only", "other", None, [], {}]
    if isinstance(old, int):
        return rng.choice([old - 1, old + 1, old * 2, 0, 1, 2, 3, 5, 64, -1, 1 << 31, 1 << 63, "8", 8.0, True, [old]])
    return rng.choice(words)


def sizes_twice(code, rng):
    """A size in the descriptor and in the metadata alike."""
    place, key = rng.choice([(0, "group"), (1, "private"), (2, "kernarg")])
    size = rng.choice([0, 4, 16, 24, 64, 4096, 16384, 16400, 1 << 16, (1 << 16) + 4, 1 << 17, 1 << 20, 1 << 31])
    fixed = "" if key == "kernarg" else "_fixed"
    code.edit_metadata(lambda entry: entry.update({f".{key}_segment{fixed}_size": size}))
    code.write(code.place_of_descriptor + 4 * place, "<I", size)


EDITS = (
    any_byte, file_header, program_header, section_header, a_symbol, dynamic_section, another_segment, descriptor_bit,
    descriptor_field, descriptor_field, metadata_value, metadata_value, metadata_value, sizes_twice,
)  # fmt: skip
