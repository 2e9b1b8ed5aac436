"""A binary to read: its blocks and instructions, and beside each memory access what was decided of it.

| column | holds |
|---|---|
| address, instruction | as decoded; a block begins with its address and where control goes after it |
| claims on the binary | `loads from source: place, condition proved` |
| obligations of the source | those of the statements that access the same buffer the same way, counted |

What it cannot represent: which of several statements an instruction was compiled from, where they access one buffer.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from layoutalg.isa.decode.code import MachineCode
from layoutalg.prove import Verdict

Decided = Iterable[tuple[str, Verdict]]

_CLAIM = re.compile(r"(0x[0-9a-f]+) \S+ (loads from|stores to) (\S+?)(?:: (.*))?$")
_OBLIGATION = re.compile(r"(\d+): (load from|store to) (\w+): ")


def listed(code: MachineCode, claims: Decided, obligations: Decided) -> Iterator[str]:
    """The lines of a binary's listing, with its claims and with the source's obligations.

    `claims` are those of `prove_binary`, `obligations` those of the kernel program's verification.
    """
    beside, source = _claims(claims), _obligations(obligations)
    yield f"{code.kernel.name} ({code.kernel.target}, wave of {code.kernel.wave_size})"
    for start, block in code.blocks.items():
        yield f"{start:#x}:  -> {', '.join(f'{address:#x}' for address in block.successors) or 'end'}"
        for instruction in block.instructions:
            access = beside.get(instruction.address)
            if access is None:
                yield f"    {instruction.place}"
                continue
            (way, buffer), decided = access
            yield f"    {instruction.place:<72}  ; {way} {buffer}: {decided}{source.get((way, buffer), '')}"


def _claims(claims: Decided) -> Mapping[int, tuple[tuple[str, str], str]]:
    """By address: the access, and its claims by verdict, as words."""
    found: dict[int, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    access: dict[int, tuple[str, str]] = {}
    for about, verdict in claims:
        match = _CLAIM.match(about)
        if match:
            address = int(match[1], 16)
            access[address] = match[2], match[3]
            found[address][verdict.name][match[4] or "access"] = None
    return {
        address: (access[address], "; ".join(f"{', '.join(names)} {verdict}" for verdict, names in by_verdict.items()))
        for address, by_verdict in found.items()
    }


def _obligations(obligations: Decided) -> Mapping[tuple[str, str], str]:
    """By direction and buffer: the statements that access it so, with their obligations by verdict."""
    counts: dict[tuple[str, str], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for about, verdict in obligations:
        match = _OBLIGATION.match(about)
        if match:
            way = {"load from": "loads from", "store to": "stores to"}[match[2]]
            counts[way, match[3]][match[1]][verdict.name] += 1
    return {key: f"  | source {_statements(by_number)}" for key, by_number in counts.items()}


def _statements(by_number: Mapping[str, Counter[str]]) -> str:
    return ", ".join(
        f"{number}: {' and '.join(f'{n} {verdict}' for verdict, n in found.items())}"
        for number, found in by_number.items()
    )
