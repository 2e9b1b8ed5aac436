"""`survey`: what is in code objects, bundles and libraries, and how much of each kernel can be carried out."""

from __future__ import annotations

import json
import sys
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from layoutalg.cli.errors import BAD_INPUT, InputError
from layoutalg.cli.output import console_for
from layoutalg.errors import CodeObjectError
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    from rich import table as tables

    from layoutalg.isa.container import binary, loader, places
    from layoutalg.isa.decode import code as decoding
    from layoutalg.isa.run import described
    from layoutalg.isa.semantics import floats
    from layoutalg.target import known
    from layoutalg.target import read as targets

FEW = 40
"""Kernels that are shown without --all: those that lack most."""

AT_ONCE = 16
"""Code objects that a process is handed at once."""

Data = dict[str, Any]


def survey(
    paths: Annotated[list[Path], typer.Argument(help="Code objects, libraries, wheels, or folders of such.")],
    target: Annotated[str, typer.Option(help="That of the code objects to look at: gfx90a, gfx90a:xnack-.")] = "",
    every: Annotated[bool, typer.Option("--all", help=f"Show every kernel, not {FEW}.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    jobs: Annotated[int, typer.Option("-j", "--jobs", min=1, help="Processes that look at once.")] = 1,
) -> int:
    """List kernels with instructions, registers, LDS and scratch, and which instructions the machine does not take.

    Exit 3 where a path has no code, or what is no code object; the others are told all the same.

    \b
    layoutalg survey librocsparse.so.0 --target gfx90a:xnack-
    layoutalg survey amd_aiter.whl --jobs 8
    """
    kernels: list[Data] = []
    unread: list[Data] = []
    errors: list[str] = []
    for one in _surveyed(places.held_at(paths, target), jobs):
        kernels += one.kernels
        unread += one.unread
        errors += [one.error] if one.error else []
    if errors and not (kernels or unread):
        for error in errors[:-1]:
            print(f"layoutalg: {error}", file=sys.stderr)
        raise InputError(errors[-1])
    _tell(kernels, unread, every, as_json)
    for error in errors:
        print(f"layoutalg: {error}", file=sys.stderr)
    return BAD_INPUT if errors else 0


def _tell(kernels: list[Data], unread: list[Data], every: bool, as_json: bool) -> None:
    missing = Counter(name for kernel in kernels for name in kernel["missing"])
    whole = sum(not kernel["missing"] for kernel in kernels)
    each = _by_target(kernels)
    summary = {"kernels": len(kernels), "described": whole, "targets": each, "missing": dict(missing.most_common()),
               "unread": unread}  # fmt: skip
    if as_json:
        print(json.dumps({**summary, "list": kernels}))
        return
    shown = sorted(kernels, key=lambda kernel: -sum(kernel["missing"].values()))
    _show_kernels(shown if every else shown[:FEW])
    if missing:
        _show_missing(missing)
    if len(each) > 1:
        _show_targets(each)
    for one in unread:
        print(f"{one['file']} ({one['target']}): not read: {one['reason']}")
    left = "" if every or len(kernels) <= FEW else f" ({FEW} that lack most are shown; --all shows every one)"
    share = f", {100 * whole / len(kernels):.3g} %" if kernels else ""
    print(f"{len(kernels)} kernel{'s' * (len(kernels) != 1)}, {whole} of them wholly described{share}{left}")


@dataclass(frozen=True)
class SurveyedCode:
    """What is known of each kernel of a code object; or why it is not read, or none."""

    kernels: Sequence[Data] = ()
    unread: Sequence[Data] = ()
    error: str = ""


def _surveyed(found: Iterator[places.HeldCode], jobs: int) -> Iterator[SurveyedCode]:
    """Each code object looked at, in their order; what lie together are alike, so one process has several."""
    if jobs == 1:
        yield from map(_one, found)
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting = deque[Future[list[SurveyedCode]]]()
        while some := list(islice(found, AT_ONCE)):
            waiting.append(pool.submit(_some, some))
            if len(waiting) > 2 * jobs:
                yield from waiting.popleft().result()
        for rest in waiting:
            yield from rest.result()


def _some(found: list[places.HeldCode]) -> list[SurveyedCode]:
    return list(map(_one, found))


def _one(held: places.HeldCode) -> SurveyedCode:
    if held.error:
        return SurveyedCode(error=held.error)
    where = {"file": held.path, "target": held.target}
    try:
        return SurveyedCode([{**where, **found} for found in _kernels(held.payload)])
    except CodeObjectError as error:
        return SurveyedCode(unread=[{**where, "reason": str(error)}])


@cache
def _surveyor(family: str) -> described.Surveyor:
    """That of a target in this process: what it knows of one code object holds of others."""
    return described.Surveyor(family)


def _kernels(payload: bytes) -> Iterator[Data]:
    """What is known of each kernel of a code object."""
    container = loader.Container.read(payload)
    is_read = container.target in known.decoded()
    read = binary.read_kernels(payload) if is_read else {}
    refused = read.refused if isinstance(read, binary.Kernels) else {}
    family = targets.kin().get(container.target, container.target)  # whose code is read alike
    for name, kernel in container.kernels.items():
        said, code = kernel.metadata, {"instructions": None, "missing": {f"not decoded: {container.target}": 1}}
        if is_read:
            whole, mode = kernel.code, floats.FLOAT_MODE
            if name in read:
                whole, mode = decoding.own_code(read[name]), read[name].float_mode
            code = vars(_surveyor(family).survey(whole, said.wave_size, mode))
        yield {
            "kernel": name, **code, "vgprs": said.vgprs, "agprs": said.agprs, "sgprs": said.sgprs,
            "lds_bytes": said.lds_bytes, "scratch_bytes": said.scratch_bytes, "code_bytes": len(kernel.code),
            **({"refused": str(refused[name])} if name in refused else {}),
        }  # fmt: skip


def _by_target(kernels: list[Data]) -> dict[str, Data]:
    """Of each target, how many kernels there are, how many are wholly described, and their instructions."""
    found: dict[str, Data] = {}
    for kernel in sorted(kernels, key=lambda kernel: (len(kernel["target"]), kernel["target"])):
        one = found.setdefault(kernel["target"], {"kernels": 0, "described": 0, "instructions": 0})
        one["kernels"] += 1
        one["described"] += not kernel["missing"]
        one["instructions"] += kernel["instructions"] or 0
    return found


def _show_targets(each: dict[str, Data]) -> None:
    shown = tables.Table("target", "kernels", "wholly described", "instructions")
    for target, one in each.items():
        share = f"{one['described']} ({100 * one['described'] / one['kernels']:.3g} %)"
        shown.add_row(target, str(one["kernels"]), share, str(one["instructions"] or "not decoded"))
    console_for(sys.stdout).print(shown)


def _show_kernels(kernels: list[Data]) -> None:
    columns = ("instructions", "vgprs", "agprs", "sgprs", "lds_bytes", "scratch_bytes")
    shown = tables.Table()
    for name in ("target", *(column.removesuffix("_bytes") for column in columns)):
        shown.add_column(name, no_wrap=True)
    for name in ("kernel", "not described"):
        shown.add_column(name, overflow="fold", ratio=1)
    for kernel in kernels:
        lacking = ", ".join(f"{name} {count}" for name, count in kernel["missing"].items())
        numbers = ("" if kernel[name] is None else str(kernel[name]) for name in columns)
        shown.add_row(kernel["target"], *numbers, kernel["kernel"], kernel.get("refused") or lacking)
    console_for(sys.stdout).print(shown)


def _show_missing(missing: Counter[str]) -> None:
    shown = tables.Table("instruction that is not taken", "kernels that have it")
    for name, count in missing.most_common():
        shown.add_row(name, str(count))
    console_for(sys.stdout).print(shown)
