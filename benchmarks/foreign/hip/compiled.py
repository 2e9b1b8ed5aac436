"""What comes of a file that is compiled as it is, which names it misses, and what an audit says of its kernels."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.foreign.hip.cases import Case
from benchmarks.foreign.hip.sources import Source
from layoutalg.audit.figures.figures import figures
from layoutalg.device.compile import compile_file
from layoutalg.errors import CompileError, DeviceError, SpecError
from layoutalg.formats.spec import loads
from layoutalg.isa.container.binary import KernelBinary, read_kernels
from layoutalg.isa.decode.code import decode_kernel

#: What an audit of a kernel may take, in seconds.
SECONDS = 3

COMPILES, REFUSED, WITHOUT, FAILS, CRASH = "compiles", "refused by name", "makes no kernel", "fails", "a crash"

_ERROR = re.compile(r"\berror: ([^\n]*)")

#: What an error says is missing; the first group is its name.
_MISSING = tuple(map(re.compile, (
    r"'([^']+)' file not found", r"use of undeclared identifier '([^']+)'", r"unknown type name '([^']+)'",
    r"no (?:template|type|member) named '([^']+)'", r"call to undeclared function '([^']+)'",
    r"no matching (?:\w+ )*?function for call to '([^']+)'", r"undefined \w* ?symbol: (\w+)",
    r"reference to __host__ function '([^']+)'", r"call to '([^']+)' is ambiguous",
)))  # fmt: skip


#: A header of a library beside HIP, with whose it is or what would give it.
_OF_A_LIBRARY = re.compile(r"'(?!hip/)[^']+' file not found: \w|layoutalg has no \w+: give the folder")


@dataclass
class Outcome:
    """What came of a file."""

    name: str
    what: str = COMPILES
    said: str = ""  # the first line of an error
    missing: list[str] = field(default_factory=list)
    audits: dict[str, str] = field(default_factory=dict)  # a word on each kernel
    runs: dict[str, str] = field(default_factory=dict)  # of each case: nothing, or how it differs
    seconds: float = 0.0

    @property
    def crashes(self) -> list[str]:
        """All that ended with an exception that nobody foresaw."""
        whole = [self.said] if self.what == CRASH else []
        return whole + [one for one in (*self.audits.values(), *self.runs.values()) if one.startswith(CRASH)]


def tried(source: Source, target: str, cases: list[Case], audit: bool) -> Outcome:
    """Compiles a file; audits its kernels and runs its cases where it compiles."""
    start = time.process_time()
    outcome = Outcome(source.name)
    try:
        flags = (*source.flags, "-ferror-limit=0")
        kernels = read_kernels(compile_file(source.path, target, include=source.include, flags=flags).payload)
    except CompileError as error:
        outcome.said, outcome.missing = str(error).partition("\n")[0], missing(error.output)
        refused = REFUSED if _OF_A_LIBRARY.search(outcome.said) else FAILS
        outcome.what = WITHOUT if "no kernel comes out" in outcome.said else refused
    except Exception:  # nobody foresaw it: counted as a crash, with its traceback
        outcome.what, outcome.said = CRASH, f"{CRASH}: {traceback.format_exc()}"
    else:
        if audit:
            outcome.audits = {name: audited(kernel) for name, kernel in kernels.items()}
        outcome.runs = {case.kernel: ran(case, kernels) for case in cases}
    outcome.seconds = time.process_time() - start
    return outcome


def missing(output: str) -> list[str]:
    """The names that a compiler misses, each as often as it says so.

    >>> missing("a.hip:1:1: error: use of undeclared identifier 'hipMalloc'\\n")
    ['hipMalloc']
    """
    found = (pattern.search(error) for error in _ERROR.findall(output) for pattern in _MISSING)
    return [one.group(1) for one in found if one]


def audited(kernel: KernelBinary) -> str:
    """What an audit with no launch file says of a kernel."""
    try:
        found = figures(decode_kernel(kernel), SECONDS)
        loads(found.template)
    except (DeviceError, SpecError) as error:
        return f"refused: {error}"
    except Exception:  # nobody foresaw it: counted as a crash, with its traceback
        return f"{CRASH}: {traceback.format_exc()}"
    if found.missing:
        return f"not described: {', '.join(found.missing)}"
    return f"not followed: {found.unread}" if found.unread else "followed"


def ran(case: Case, kernels: Mapping[str, KernelBinary]) -> str:
    """How a run of a case differs from numpy; nothing where it does not."""
    try:
        return case.differs(kernels[case.symbol(list(kernels))])
    except (DeviceError, LookupError) as error:
        return f"{type(error).__name__}: {error}"
    except Exception:  # nobody foresaw it: counted as a crash, with its traceback
        return f"{CRASH}: {traceback.format_exc()}"
