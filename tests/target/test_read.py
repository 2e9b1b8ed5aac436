"""Targets: what the data files say, and what a wrong file is told."""

from dataclasses import replace
from pathlib import Path

import pytest

from layoutalg.target import (
    LdsInstruction,
    Target,
    TargetFileError,
    UnknownInstructionError,
    UnknownTargetError,
    is_target,
    load_target,
)
from layoutalg.target import target as named
from layoutalg.target.read import kin, parse, target_names
from tests.matrix import all_hold

NAMES = (
    "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1151", "gfx1201", "gfx1250",
    "sm_90",
)  # fmt: skip
ENTRIES = [(name, instruction) for name in NAMES for instruction in named(name).instructions.values()]


def bits(lane: int) -> list[int]:
    return [lane >> place & 1 for place in range(6)]


def test_the_targets_are_there() -> None:
    assert set(target_names()) == set(NAMES)
    assert [(named(n).wave_size, named(n).lds_bytes // 1024) for n in NAMES] == [
        (64, 64), (64, 64), (64, 64), (64, 64), (64, 160), (32, 64), (32, 64), (32, 64), (32, 64),
        (32, 64), (32, 320), (32, 227),
    ]  # fmt: skip


def test_each_entry_is_complete_and_cites_somebody_or_doubts() -> None:
    all_hold(ENTRIES, lambda one: is_complete_and_cited(*one), lambda one: f"{one[0]} {one[1].name}")


def is_complete_and_cited(name: str, instruction: LdsInstruction) -> None:
    assert sorted(lane for phase in instruction.phases for lane in phase) == list(range(named(name).wave_size))
    assert len({len(phase) for phase in instruction.phases}) == 1
    assert instruction.evidence.sources or instruction.evidence.doubt
    assert all(len(source) > 20 for source in instruction.evidence.sources), "a citation, not a key"


@pytest.mark.parametrize("name", NAMES)
def test_every_width_can_be_read_and_written(name: str) -> None:
    widths = (1, 2, 4, 8, 16) if name == "sm_90" else (1, 2, 4, 8, 12, 16)
    for access in ("read", "write"):
        assert [named(name).for_width(access, width).bytes for width in widths] == list(widths)


def test_gfx942_reads_128_bits_in_eight_groups_numbered_by_lane_bits() -> None:
    read = named("gfx942").instruction("ds_read_b128")
    number = [(b[5], b[3], b[2] ^ b[4]) for b in map(bits, range(64))]
    assert len(read.phases) == 8
    assert all(len({number[lane] for lane in phase}) == 1 for phase in read.phases)


def test_gfx950_reads_128_bits_in_four_groups_numbered_by_lane_bits() -> None:
    read = named("gfx950").instruction("ds_read_b128")
    number = [(b[5], b[2] ^ b[3] ^ b[4]) for b in map(bits, range(64))]
    assert len(read.phases) == 4
    assert all(len({number[lane] for lane in phase}) == 1 for phase in read.phases)


def test_contested_entries_say_so() -> None:
    assert all(i.evidence.doubt for i in named("gfx90a").instructions.values())
    for name in ("ds_read_b32", "ds_write_b96", "ds_read_u16", "ds_write_b8"):
        assert named("gfx950").instruction(name).evidence.doubt
    for name in ("ds_read_b128", "ds_write_b128", "ds_read_b64", "ds_write_b64", "ds_write_b32"):
        assert named("gfx942").instruction(name).evidence.certain
        assert named("gfx950").instruction(name).evidence.certain


def test_what_another_source_says_stands_beside_the_entry() -> None:
    gpu = named("gfx950")
    (other,) = gpu.rivals["ds_read_b32"]
    own = gpu.instruction("ds_read_b32")
    assert (own.banks, len(own.phases)) == (64, 1)
    assert (other.banks, len(other.phases), other.bytes, other.access) == (32, 2, 4, "read")
    assert other.evidence.sources != own.evidence.sources
    assert all(named(n).instruction(i).evidence.doubt for n in NAMES for i in named(n).rivals), "settled: no rival"
    assert not named("gfx906").rivals, "what is like gfx942 has its entries, not its rivals"


def test_kin_have_their_own_numbers_and_registers_and_the_family_s_code() -> None:
    """AMDGPUUsage, e_flags; AMDGPU.td, Feature1_5xVGPRs: half as many registers again."""
    numbers = {name: named(name).machine.number for name in kin()}
    assert numbers == {
        "gfx1011": 0x34, "gfx1012": 0x35,
        "gfx1031": 0x37, "gfx1032": 0x38, "gfx1033": 0x39, "gfx1034": 0x3E, "gfx1035": 0x3D, "gfx1036": 0x45,
        "gfx1101": 0x46, "gfx1102": 0x47, "gfx1103": 0x44,
        "gfx1150": 0x43, "gfx1152": 0x55, "gfx1153": 0x58, "gfx1200": 0x48,
    }  # fmt: skip
    for name, family in kin().items():
        own, other = named(name), named(family)
        assert (own.name, own.processor, own.library, own.cards) == (name, name, False, ())
        assert replace(own.machine, number=other.machine.number, evidence=other.machine.evidence) == other.machine
        assert (own.matrix, own.types, own.tilings) == (other.matrix, other.types, other.tilings)
        assert all(one.evidence.doubt for one in own.instructions.values())
        assert is_target(name)
    more = {"gfx1101", "gfx1200"}
    assert {name for name in kin() if named(name).unit.registers == 1536} == more
    assert {(named(name).unit.granule, kin()[name]) for name in kin() if name not in more} == {
        (8, "gfx1010"), (16, "gfx1030"), (16, "gfx1100"), (16, "gfx1151"),
    }  # fmt: skip


def test_kin_that_say_too_little_are_refused() -> None:
    text = CHIP + '[kin.chip2]\ntitle = "two"\nconfidence = "documented"\nsources = ["manual"]\n'
    with pytest.raises(TargetFileError, match=r"chip.toml: kin.chip2: it lacks number"):
        parse(text, "chip.toml")


def test_an_unknown_name_is_refused_with_what_there_is() -> None:
    with pytest.raises(UnknownTargetError, match="gfx942"):
        named("gfx943")
    with pytest.raises(UnknownInstructionError, match=r"gfx942 has no LDS instruction 'ld\.shared\.128'; it has"):
        named("gfx942").instruction("ld.shared.128")
    with pytest.raises(UnknownInstructionError, match="no LDS read of 32 bytes"):
        named("gfx942").for_width("read", 32)


CHIP = """
name = "chip"
title = "four lanes"
[sources]
manual = "The chip's manual"
[facts]
wave_size = { value = 4, confidence = "documented", sources = ["manual"] }
lds_bytes = { value = 1024, confidence = "documented", sources = ["manual"] }
max_workgroup = { value = 4, confidence = "documented", sources = ["manual"] }
vgprs = { value = 8, confidence = "documented", sources = ["manual"] }
segments = { value = [64, 32], confidence = "documented", sources = ["manual"] }
[[lds]]
instructions = ["read4"]
access = "read"
bytes = 4
alignment = 4
banks = 2
phases = ["0 3", "1-2"]
confidence = "measured"
sources = ["manual"]
"""


def test_a_user_adds_a_target_in_toml(tmp_path: Path) -> None:
    file = tmp_path / "chip.toml"
    file.write_text(CHIP)
    chip = load_target(file)
    assert isinstance(chip, Target)
    assert chip.instruction("read4").phases == ((0, 3), (1, 2))
    assert chip.instruction("read4").phase_of == (0, 1, 1, 0)
    assert chip.segments == (32, 64)
    assert chip.evidence["vgprs"].text == "documented (The chip's manual)"


@pytest.mark.parametrize(
    ("was", "becomes", "message"),
    [
        ('phases = ["0 3", "1-2"]', 'phases = ["0 3", "1-3"]', "do not hold each of 4 lanes once"),
        ('phases = ["0 3", "1-2"]', 'phases = ["0 3", "1–2"]', "no lane or range"),
        ('phases = ["0 3", "1-2"]', "", "either run = lanes, or phases"),
        ('phases = ["0 3", "1-2"]', 'phases = ["0", "1-3"]', "unequal sizes"),
        ('phases = ["0 3", "1-2"]', "run = 3", "no runs of 3"),
        ('phases = ["0 3", "1-2"]', "run = 4", "4 dwords of 2 banks"),
        ('instructions = ["read4"]', 'instructions = ["read4", "read4"]', "given twice"),
        ('access = "read"', 'access = "load"', "read or write"),
        ("banks = 2", "banks = 0", "positive integer"),
        ("banks = 2", "banks = 2\ncolour = 1", "unknown key colour"),
        ("alignment = 4\n", "", "it lacks alignment"),
        ('"measured"', '"sure"', "confidence is one of"),
        ('"measured"\nsources = ["manual"]', '"measured"\nsources = []', "by whom"),
        ('"measured"\nsources = ["manual"]', '"assumed"\nsources = []', "needs a doubt"),
        ('"measured"\nsources = ["manual"]', '"measured"\nsources = ["rumour"]', "'rumour' is not in"),
        ("value = 1024", 'value = "1024"', "'1024' is no int"),
        ("value = [64, 32]", "value = 64", "64 is no list"),
        ('title = "four lanes"', "title = ", "not TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(was: str, becomes: str, message: str) -> None:
    assert was in CHIP
    with pytest.raises(TargetFileError, match=f"^chip.toml: .*{message}"):
        parse(CHIP.replace(was, becomes), "chip.toml")


@pytest.mark.parametrize(
    ("rival", "message"),
    [
        ('instructions = ["read4"]\nbanks = 2\nphases = ["3 0", "1-2"]', "read4 it says what"),
        ('instructions = ["read8"]\nbanks = 2\nrun = 2', "read8 is in no"),
        ('instructions = ["read4"]\nbanks = 2\nrun = 4', "4 dwords of 2 banks"),
        ('instructions = ["read4"]\nbanks = 2', "either run = lanes, or phases"),
        ('instructions = ["read4"]\nrun = 2', "it lacks banks"),
    ],
)
def test_a_wrong_rival_is_refused_with_the_reason(rival: str, message: str) -> None:
    text = f'{CHIP}[[rival]]\n{rival}\nconfidence = "documented"\nsources = ["manual"]\n'
    with pytest.raises(TargetFileError, match=f"^chip.toml: rival.*{message}"):
        parse(text, "chip.toml")
