"""Which files are taken, and the flags that they are compiled with.

By a rule that looks at no result: of HeCBench what is below `src/*-hip`, and of rocm-examples what is anywhere, each
`.cu` or `.hip` file that holds a `__global__` and that no other file includes.  Of HeCBench's 60 are spread evenly over
their names.

A file has what its own build says of where headers are: `-I` and `-D` that the Makefile beside or above it gives under
no condition, folders `include` and `Common` above it, and C++20 where its CMakeLists ask for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

#: How many files of HeCBench are spread over its names.
COUNT = 60

_VARIABLE, _ASSIGNED = re.compile(r"\$[({](\w+)[)}]"), re.compile(r"(\w+)\s*[:?]?=(.*)")
_FLAG = re.compile(r"(?<!\S)(-[ID][^\s$]+)(?!\S)")
_TWENTY = re.compile(r"_STANDARD 20\b")
_INCLUDED = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@dataclass(frozen=True)
class Source:
    """A file and its flags."""

    path: Path
    name: str  # its path, from the collection's name on
    include: tuple[Path, ...]
    flags: tuple[str, ...]


def hecbench(root: Path) -> list[Source]:
    """The files of HeCBench."""
    return [in_checkout(path, root, "HeCBench") for folder in sorted(root.glob("src/*-hip")) for path in _units(folder)]


def rocm_examples(root: Path) -> list[Source]:
    """The files of rocm-examples."""
    return [in_checkout(path, root, "rocm-examples") for path in _units(root)]


def spread(count: int, of: Sequence[Source]) -> list[Source]:
    """So many of some files, spread evenly."""
    return [of[k * len(of) // count] for k in range(count)] if count < len(of) else list(of)


def _units(folder: Path) -> Iterator[Path]:
    """The files below a folder that hold a kernel and that no other includes, by name."""
    texts = {
        path: path.read_text(errors="replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in (".cu", ".hip", ".cpp", ".cuh", ".h", ".hpp")
    }
    included = {(path.parent / name).resolve() for path, text in texts.items() for name in _INCLUDED.findall(text)}
    for path, text in texts.items():
        if path.suffix in (".cu", ".hip") and "__global__" in text and path.resolve() not in included:
            yield path


def in_checkout(path: Path, root: Path, collection: str) -> Source:
    """A file of a checkout, with what its own build says of headers."""
    above = [folder for folder in path.parents if folder.is_relative_to(root)]
    include = [path.parent, *(folder / name for folder in above for name in ("include", "Common"))]
    flags = ["-std=c++20"] if _TWENTY.search(_read(path.parent / "CMakeLists.txt")) else []
    folder = next((one for one in above if (one / "Makefile").exists()), path.parent)
    for flag in _flags(_read(folder / "Makefile")):
        if flag.startswith("-I"):
            include.append(folder / flag[2:])
        else:
            flags.append(flag)
    folders = dict.fromkeys(one.resolve() for one in include if one.is_dir())
    return Source(path, f"{collection}/{path.relative_to(root)}", tuple(folders), tuple(dict.fromkeys(flags)))


def _read(path: Path) -> str:
    """A file's text; nothing where there is none."""
    return path.read_text(errors="replace") if path.exists() else ""


def _flags(makefile: str) -> Iterator[str]:
    r"""The `-I` and `-D` that a Makefile gives to what it compiles, under no condition.

    >>> list(_flags("A = ../a\nCFLAGS = -O3 -I $(A) -DN=3\nifeq ($(DEBUG),yes)\nCFLAGS += -DDEBUG\nendif"))
    ['-I../a', '-DN=3']
    """
    depth, variables = 0, dict[str, str]()
    for line in makefile.replace("\\\n", " ").splitlines():
        word = line.partition(" ")[0].strip()
        depth += word.startswith("if") - (word == "endif")
        if depth or (line.startswith("\t") and "-c" not in line.split()):
            continue
        whole = _VARIABLE.sub(lambda found: variables.get(found[1], found[0]), line)
        if found := _ASSIGNED.match(whole):
            variables[found[1]] = found[2].strip()
        yield from _FLAG.findall(re.sub(r"(?<!\S)-([ID])\s+", r"-\1", whole))
