"""Headers that are parsed once: taken up by other processes as they are, and parsed anew where anything has changed."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from layoutalg.device import compile, precompiled
from layoutalg.device.compilers import choose_compiler
from layoutalg.device.isa import machine_code
from layoutalg.device.process import run_compiler
from layoutalg.errors import CompileError

COMPILER = choose_compiler("gfx942")
COMMAND = (lambda step: step[: step.index("-S")])(COMPILER.steps("gfx942", 3)[0])
HIP = "#include <hip/hip_runtime.h>\n"


@pytest.fixture(autouse=True)
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A cache of its own, and the last word of each command of the compiler."""
    monkeypatch.setenv("LAYOUTALG_CACHE", str(tmp_path / "cache"))
    ran: list[str] = []

    def noted(command: Sequence[str], folder: str, place: str = "") -> tuple[int, str]:
        ran.append("parsed" if "-emit-pch" in command else "from parsed" if "-include-pch" in command else command[-1])
        return run_compiler(command, folder, place)

    monkeypatch.setattr(precompiled, "run_compiler", noted)
    monkeypatch.setattr(compile, "run_compiler", noted)
    monkeypatch.setattr(precompiled, "_IN_USE", 0)
    another_process()
    return ran


def another_process() -> None:
    """What this process remembers is forgotten."""
    for each in (precompiled._once, precompiled._root, precompiled._own):
        each.cache_clear()


def given(text: str) -> Path:
    """The folder of what is parsed, that a source is compiled from."""
    return Path(precompiled.precompiled(COMMAND, text, COMPILER.version)[1]).parent


def test_another_process_takes_it_as_it_is(ran: list[str]) -> None:
    first = given("int one();\n")
    another_process()
    assert given("int one();\n") == first
    assert given("int two();\n") != first
    assert ran == ["parsed", "parsed"]


@pytest.mark.parametrize("damage", ["before.pch", "read.json"])
def test_what_is_damaged_or_gone_is_parsed_anew(damage: str, ran: list[str]) -> None:
    file = given("int one();\n") / damage
    whole = (file.parent / "before.pch").read_bytes()
    for content in (bytes([*whole[:-1], whole[-1] ^ 1]), b""):
        file.write_bytes(content)
        another_process()
        given("int one();\n")
        assert file.read_bytes() not in (content, b"")
    file.parent.joinpath("before.pch").unlink()  # within a process, too
    given("int one();\n")
    assert ran == ["parsed"] * 4


def test_a_header_that_changes_is_parsed_anew(tmp_path: Path, ran: list[str]) -> None:
    header = tmp_path / "own.h"
    for content, times in (("int one();", 1), ("int one();", 1), ("int two();", 2)):
        header.write_text(content)
        another_process()
        folder = given(f'#include "{header}"\n')
        assert str(header) in precompiled.read(folder)
        assert len(ran) == times


def test_the_compiler_refuses_what_changed_since_this_process_looked(tmp_path: Path) -> None:
    header = tmp_path / "own.h"
    header.write_text("#define ONE 1\n")
    folder = given(f'#include "{header}"\n')
    header.write_text("#define ONE 12\n")
    (tmp_path / "a.hip").write_text("int one = ONE;\n")
    status, said = run_compiler((*COMMAND, *precompiled.after(folder), "-S", "a.hip", "-o", "a.s"), str(tmp_path))
    assert status != 0
    assert "own.h" in said


def test_the_first_to_ask_parses_nothing_for_others_and_the_code_is_the_same(ran: list[str]) -> None:
    codes = []
    for number in range(3):
        source = f"{HIP}// {number}\n__global__ void k(float* x) {{ x[threadIdx.x] = sinf(x[threadIdx.x]); }}\n"
        codes.append(machine_code(compile.compile_source(source, "gfx942"), "_Z1kPf").instructions)
        another_process()
    assert [one for one in ran if "parsed" in one] == ["parsed", "from parsed", "from parsed"]
    assert codes[0] == codes[1] == codes[2]


def test_what_was_used_the_longest_time_ago_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = given("int one();\n"), given("int two();\n")
    monkeypatch.setattr(precompiled, "LIMIT", 2 * (one / "before.pch").stat().st_size + 1000)
    another_process()
    given("int one();\n")
    three = given("int three();\n")
    assert [folder.exists() for folder in (one, two, three)] == [True, False, True]


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that cannot be written."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LAYOUTALG_CACHE", str(tmp_path / "file" / "cache"))


@pytest.mark.usefixtures("nowhere")
def test_where_nothing_can_be_kept_it_is_of_this_process(ran: list[str]) -> None:
    assert given("int one();\n") == given("int one();\n")
    assert ran == ["parsed"]


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_and_goes_with_it_in_whatever_way_that_one_ends(way: str) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context(way)) as pool:
        folder = pool.submit(given, "int before;\n").result()
    assert not folder.exists()


def test_headers_that_do_not_compile_are_told() -> None:
    with pytest.raises(CompileError, match="what a source is read with does not compile"):
        given("int one(\n")
