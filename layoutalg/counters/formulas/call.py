"""A launch's counters as formulas in its sizes: what rocprofv3 would count at any of them.

    found = la.counter_formulas("scale.co", "scale.toml")
    str(found["SQ_INSTS_VMEM_WR"].least)         # (N + 63) // 64

Each counter is a sum over instructions, of how often each is issued (`instructions`) and what it counts for
(`counters.count`, `counters.definitions`).  It is exact where both are: the formula then is what the run counts, at all
sizes, and rests on claims that are proved of the kernel.  Of LDS the cycles of each instruction are those of
`audit.costs`, where they are the same wherever the block begins, and all lanes of all waves take part; what is
conflict-free is so for any lanes.  A counter without a formula says why.
What lanes move is `traffic`'s.
What it cannot represent: launches whose blocks have a size; what is loaded, where it says where a wave goes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from layoutalg.audit import costs
from layoutalg.audit.followed import Followed, LaunchedKernel
from layoutalg.audit.lds.block import BlockThreads
from layoutalg.audit.runs import STEPS, Runs
from layoutalg.counters import call as calls
from layoutalg.counters import count
from layoutalg.counters.count import CounterFigure
from layoutalg.counters.definitions import lds_counters, lds_doubts, source_of, times_at_most
from layoutalg.counters.formulas import traffic
from layoutalg.counters.formulas.formula import CounterFormula, few
from layoutalg.counters.formulas.instructions import Issued, IssuedCounts
from layoutalg.counters.formulas.sums import NotCountedError
from layoutalg.errors import DeviceError, LayoutError
from layoutalg.formats.model import SpecFile
from layoutalg.index import ZERO, Expr, InexpressibleError, budget, const, div, simplify, substitute
from layoutalg.isa.decode.code import MachineCode
from layoutalg.launch import concrete
from layoutalg.launch.symbolic import LDS, KernelLaunch
from layoutalg.lazy import lazy_imports
from layoutalg.records import dataclass

with lazy_imports():
    from layoutalg.formats import spec
    from layoutalg.isa.container import chosen, places
    from layoutalg.isa.decode import code as codes

Data = dict[str, Any]

SECONDS = 60.0
"""How long following a kernel and showing what its counts rest on may take."""


TRIED = (300, 100, 33, 7, 1)
"""What sizes are near at which a counter is counted that has no formula, the first that the launch allows."""


@dataclass(frozen=True)
class CounterFormulas:
    """The counters of all launches of a kernel; by its name, a counter."""

    kernel: str
    target: str
    formulas: tuple[CounterFormula, ...]
    unproved: tuple[str, ...] = ()  # what they rest on that is not proved
    symbols: Mapping[str, Expr] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)  # at which is counted what has no formula
    counted: tuple[CounterFigure, ...] = ()
    drawn: tuple[str, ...] = ()  # tensors whose contents were drawn at random for that

    def __getitem__(self, name: str) -> CounterFormula:
        return next(one for one in self.formulas if one.name == name)

    def at(self, sizes: Mapping[str, int]) -> dict[str, tuple[int, int | None] | None]:
        """What each comes to at sizes, least and most."""
        known = {symbol: sizes[name] for name, symbol in self.symbols.items() if name in sizes}
        return {one.name: one.at(known) for one in self.formulas}

    @property
    def report(self) -> Data:
        """Everything, as JSON has it."""
        told = [
            {"name": one.name, "least": None if one.least is None else str(one.least),
             "most": None if one.most is None else str(one.most), "what": one.what, "source": one.source,
             "notes": one.notes, "certainty": one.certainty}
            for one in self.formulas
        ]  # fmt: skip
        counted = [{**vars(one), "certainty": one.certainty} for one in self.counted]
        return {"kernel": self.kernel, "target": self.target, "formulas": told, "unproved": self.unproved,
                "counted": {"sizes": dict(self.sizes), "drawn": self.drawn, "counters": counted}}  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(text(self))


def counter_formulas(
    kernel: Any, launch: SpecFile | str | Path, sizes: Mapping[str, int] | None = None, *, name: str | None = None,
    target: str = "", seconds: float = SECONDS,
) -> CounterFormulas:  # fmt: skip
    """What rocprofv3 would count of a launch, as formulas in those of its sizes that are not given.

    `kernel`: the path of a code object, or its bytes; `launch`: a launch file, or its path.  Raises `LaunchError` for
    a launch that is none of the kernel's.

    >>> import layoutalg as la
    >>> from layoutalg.device.compile import compile_source
    >>> launch = la.loads('''
    ... symbols = { n = { min = 1, max = 20000 } }
    ... descriptor = [{ name = "o", dtype = "i32", base = { kind = "packed", lengths = ["n"] } }]
    ... launch = { grid = ["(n + 255) // 256"], block = [256], arguments = ["o", "n"], writes = ["o"] }
    ... ''')
    >>> source = '''
    ... #include <hip/hip_runtime.h>
    ... extern "C" __global__ void fill(int* o, int n) {
    ...   int i = blockIdx.x * 256 + threadIdx.x;
    ...   if (i < n) o[i] = i;
    ... }
    ... '''
    >>> found = la.counter_formulas(compile_source(source, "gfx942").payload, launch)
    >>> found["SQ_WAVES"].text, found["SQ_INSTS_VMEM_WR"].text, found["SQ_INSTS_VMEM_WR"].certainty
    ('(n + 255) // 256 * 4', '(n + 63) // 64', 'exact')
    """
    file = launch if isinstance(launch, SpecFile) else spec.load(Path(launch))
    wanted = name or (file.launch.kernel if file.launch else None)
    content = places.content_of(Path(kernel)) if isinstance(kernel, str | Path) else kernel
    code = codes.decode_kernel(chosen.chosen_kernel(content, wanted, target)[1])
    return formulas_of(code, file, sizes, seconds)


def formulas_of(
    code: MachineCode, file: SpecFile, sizes: Mapping[str, int] | None = None, seconds: float = SECONDS
) -> CounterFormulas:
    """The formulas of a decoded kernel."""
    with budget.within(seconds):
        kernel = LaunchedKernel.of(code, file).follow(in_order=False)
        issued = IssuedCounts(kernel)
        found = tuple(_formulas(code, kernel, issued))
        moved = tuple(traffic.formulas(kernel, issued)) if kernel.stopped is None else ()
        unproved = tuple(_unproved(kernel, issued))
    given = {file.symbols[key]: const(n) for key, n in (sizes or {}).items() if key in file.symbols}
    notes = tuple(f"it rests on what is not proved: {what}" for what in unproved)
    stated = [_stated(_with_sizes(one, given), code.kernel.target) for one in found]
    stated += [_with_sizes(one, given) for one in moved]
    by_order = tuple(count.by_order(code, [(one, 1) for one in code.instructions]))
    told = (one if one.name == "SQ_WAVES" else replace(one, notes=(*one.notes, *by_order, *notes)) for one in stated)
    formulas = tuple(told)
    made = CounterFormulas(code.kernel.name, code.kernel.target, formulas, unproved, file.symbols)
    left = {one.name for one in formulas if one.least is None}
    again = left - {one.name for one in moved}  # what lanes move is no reason for a run
    return replace(made, **_counted(code, file, sizes or {}, left)) if again else made


def _counted(code: MachineCode, file: SpecFile, sizes: Mapping[str, int], names: Collection[str]) -> Data:
    """These counters at the first sizes that the launch allows, if it can be run there."""
    runs = Runs(code, KernelLaunch.of(code.kernel, file), file)
    tried = ({**runs.nearest({}, n), **sizes} for n in TRIED)
    at = next((one for one in tried if runs.allowed(one)), None)
    try:
        found = calls.counters_of(code, concrete.bound(file, code.kernel.metadata, at or {}, {}, {}), STEPS)
    except (DeviceError, LayoutError, InexpressibleError):
        return {}
    whole = "SQ_WAVES" in names  # nothing was followed
    figures = tuple(one for one in found.figures if whole or one.name in names)
    return {"sizes": at or {}, "counted": figures, "drawn": found.drawn}


def _with_sizes(one: CounterFormula, given: Mapping[Expr, Expr]) -> CounterFormula:
    least, most = (None if e is None else simplify(substitute(e, given)) for e in (one.least, one.most))
    return replace(one, least=least, most=most)


def _unproved(kernel: Followed, issued: IssuedCounts) -> Iterator[str]:
    if kernel.stopped is None:
        for about, verdict in issued.claims():
            if not verdict:
                yield about


def _stated(one: CounterFormula, target: str) -> CounterFormula:
    """A formula on a target: of those whose counters no page defines it is in doubt, or not known."""
    said = count.stated(CounterFigure(one.name, 0, 0, one.what, one.source, one.notes), target)
    if said.least is None and one.least is not None:
        return replace(one, least=None, most=None, source=said.source, notes=said.notes)
    return replace(one, notes=said.notes)


def _formulas(code: MachineCode, kernel: Followed, issued: IssuedCounts) -> Iterator[CounterFormula]:
    """Every counter, of all instructions together."""
    if kernel.stopped is not None:
        yield CounterFormula("SQ_WAVES", None, None, "waves", "", (f"not followed: {kernel.stopped}",))
        return
    try:
        waves, each = issued.all_waves, [*issued.each.values()]
    except NotCountedError as error:
        yield CounterFormula("SQ_WAVES", None, None, "waves", "", (str(error),))
        return
    yield CounterFormula("SQ_WAVES", waves, waves, "waves", source_of(code.kernel.target))
    figures = count.linear_figures([(one.instruction, 1) for one in each], {}, code.kernel.target)
    sums = {figure.name: _Sum() for figure in figures}
    for one in each:
        _add(sums, one, code.kernel.target)
    for figure in figures:
        often = times_at_most(figure.name, code.kernel.target, code.kernel.wave_size)
        yield sums[figure.name].formula(figure, often)
    yield from _lds(kernel, issued)


@dataclass
class _Sum:
    """A counter so far."""

    least: Expr = ZERO
    most: Expr = ZERO
    notes: tuple[str, ...] = ()
    left: list[tuple[str, str]] = field(default_factory=list)  # places without a number, and why

    def formula(self, figure: CounterFigure, often: int) -> CounterFormula:
        """The counter, of which that is the figure where each instruction is issued once; so often it counts."""
        if self.left:
            return CounterFormula(figure.name, None, None, figure.what, "", few(self.left))
        least, most = simplify(self.least), simplify(self.most * often)
        notes = tuple(dict.fromkeys(self.notes))
        return CounterFormula(figure.name, least, most, figure.what, figure.source, notes)


def _add(sums: dict[str, _Sum], one: Issued, target: str) -> None:
    """One instruction: what it counts for with lanes and without, as often as it is issued."""
    alone = [(one.instruction, 1)]
    active = count.linear_figures(alone, {}, target)
    idle = {each.name: each for each in count.linear_figures(alone, {one.instruction.address: 1}, target)}
    for figure in active:
        total, place = sums[figure.name], one.instruction.place
        if figure.least is None or figure.most is None:
            total.left += [(place, note) for note in figure.notes]
        elif figure.most and one.why:
            total.left.append((place, one.why))
        elif figure.most:
            unsure = figure.least - (idle[figure.name].least or 0)
            total.least = total.least + one.count * figure.least - one.idle * unsure
            total.most = total.most + one.count * figure.most
            total.notes = (*total.notes, *figure.notes)


def _lds(kernel: Followed, issued: IssuedCounts) -> Iterator[CounterFormula]:
    """Cycles of LDS, where each instruction has one price."""
    block, prices = BlockThreads(kernel.launched), dict[int, list[costs.Fact]]()
    for parts in costs.instructions([one for one in kernel.accesses if one.memory == LDS]):
        prices.setdefault(parts[0].instruction.address, []).append(costs.fact_of(block, parts))
    each = [one for one in issued.each.values() if one.instruction.address in prices or count.unpriced(one.instruction)]
    found = [_LdsPrice.of(one, prices.get(one.instruction.address, ())) for one in each]
    target = kernel.launched.kernel.target
    doubts = tuple(dict.fromkeys((*(doubt for one in found for doubt in one.doubts), *lds_doubts(target))))
    for (name, what, source), lost in zip(lds_counters(target), (True, False), strict=True):
        numbers = [one.lost if lost else one.used for one in found]
        why = few([(one.place, one.why) for one, n in zip(found, numbers, strict=True) if n is None])
        if why:
            yield CounterFormula(name, None, None, what, "", why)
            continue
        times = (div(one.count, issued.waves.count) * n for one, n in zip(each, numbers, strict=True) if n)
        total = simplify(sum(times, start=ZERO))
        yield CounterFormula(name, total, total, what, source, doubts)


@dataclass(frozen=True)
class _LdsPrice:
    """What an instruction costs each time that all waves of a block carry it out: cycles lost, and used; None unknown.

    A price is one where it is the same wherever a block begins, and all lanes of all waves take part.  What has no
    conflict loses nothing, whichever lanes take part.
    """

    place: str
    lost: int | None
    used: int | None
    why: str
    doubts: tuple[str, ...] = ()

    @classmethod
    def of(cls, one: Issued, facts: Sequence[costs.Fact]) -> _LdsPrice:
        """By what `audit.costs` says of its accesses."""
        place = one.instruction.place
        unpriced = count.unpriced(one.instruction) or next((fact.why for fact in facts if fact.why), "")
        if unpriced or one.why:
            return cls(place, None, None, unpriced or one.why)
        doubts = tuple(dict.fromkeys(doubt for fact in facts for doubt in fact.doubts))
        if one.whole and len({(fact.best, fact.worst, fact.least) for fact in facts}) == 1:
            fact = facts[0]
            if fact.best == fact.worst:
                return cls(place, fact.worst - fact.least, fact.worst, "", doubts)
        free = all(fact.worst == fact.least for fact in facts)
        return cls(
            place, 0 if free else None, None, "its cycles depend on the lanes that take part, or on sizes", doubts
        )


def text(found: CounterFormulas) -> Iterator[str]:
    """Formulas as a table, with what they rest on."""
    rows = [(one.name, one.text, one.certainty, one.what) for one in found.formulas]
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  " + "  ".join([*cells, row[3]]).rstrip()
    for note in dict.fromkeys(note for one in found.formulas for note in one.notes):
        yield f"{', '.join(one.name for one in found.formulas if note in one.notes)}: {note}"
    if found.counted:
        at = ", ".join(f"{name} = {n}" for name, n in found.sizes.items())
        by = f", {', '.join(found.drawn)} drawn at random" if found.drawn else ""
        yield f"counted{f' at {at}' if at else ''}{by}, where there is no formula:"
        yield from (f"  {one.name}  {one.text}  {one.certainty}" for one in found.counted)
    if not found.unproved and any(one.least is not None for one in found.formulas):
        yield "proved for all sizes: waves meet at barriers, and loops run as often as is said"
