"""The functions of a Triton kernel, taken out of a wheel: what `@triton.jit` needs, without what only the host needs.

A kernel's file imports PyTorch and half of its package.  Its device code needs Triton, the functions that it calls and
some constants.  So a module is written for each file that a kernel reaches: its needed bindings, as they stand there,
with `@triton.jit` in place of the decorators, which tune what a launch passes.

| in the file                          | in the module                                                    |
|--------------------------------------|------------------------------------------------------------------|
| `from triton… import`                | the same                                                         |
| an import of the wheel's own         | of the module that is written for that file                      |
| `if`, `try` around bindings          | the branch that holds on an AMD card; what is tried              |
| `f = triton.jit(f)`, `@triton.jit(…)` | `@triton.jit`                                                    |
| a kernel within a host function      | a kernel of the module                                           |

What it cannot represent: names that are made at run time, and kernels that a host function writes as text.
"""

from __future__ import annotations

import ast
import textwrap
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

HEAD = "import triton\nimport triton.language as tl\n"

#: What conditions around imports ask of the machine: that Triton is new, and the card AMD's.  All else is false.
HOLDS = {"compare_version", "torch_version_at_least", "has_triton", "is_hip", "IS_AMD", "HAS_HIP", "is_rocm"}


class _Unknown:
    """What the host would know: false, and whatever comes of it; of a version, that it is a new one."""

    def __init__(self, true: bool = False) -> None:
        self.true = true

    def __call__(self, *_: object, **__: object) -> _Unknown:
        return self

    def __getattr__(self, name: str) -> _Unknown:
        return _Unknown(name in HOLDS)

    def __bool__(self) -> bool:
        return self.true

    def __ge__(self, other: object) -> bool:
        return True

    def __lt__(self, other: object) -> bool:
        return False


class _Machine(dict[str, object]):
    def __missing__(self, name: str) -> object:
        return _Unknown(name in HOLDS)


class SourceError(Exception):
    """A name that a kernel needs and no file of the wheel binds."""


@dataclass(frozen=True)
class Edit:
    """What stands once in a function of a file, and what shall stand there."""

    file: str
    function: str
    old: str
    new: str

    def of(self, text: str) -> str:
        """The text with that edit."""
        every = ast.walk(ast.parse(text))
        function = next(one for one in every if isinstance(one, ast.FunctionDef) and one.name == self.function)
        lines = text.splitlines(keepends=True)
        start, end = function.lineno - 1, function.end_lineno
        within = "".join(lines[start:end])
        if within.count(self.old) != 1:
            raise SourceError(f"{self.function}: {self.old!r} stands there {within.count(self.old)} times")
        return "".join(lines[:start]) + within.replace(self.old, self.new) + "".join(lines[end:])


@dataclass
class Wheel:
    """The Python files of a wheel, and the modules that were written of them."""

    path: Path
    folder: Path
    edits: Sequence[Edit] = ()

    def __post_init__(self) -> None:
        with zipfile.ZipFile(self.path) as archive:
            self.files = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")}
        for one in self.edits:
            self.files[one.file] = one.of(self.files[one.file])
        self.needed: dict[str, set[str]] = {}

    def file(self, module: str) -> str | None:
        """The file of a module, where it is one of the wheel's."""
        stem = module.replace(".", "/")
        roots = ("", *{name.split("/")[0] + "/" for name in self.files if name.count("/")})
        names = (f"{root}{stem}{end}" for root in roots for end in (".py", "/__init__.py"))
        return next((name for name in names if name in self.files), None)

    def extracted(self, file: str, function: str) -> str:
        """Writes the modules of a kernel; the name of the one that it is in."""
        self._need(file, {function})
        for one, names in self.needed.items():
            (self.folder / f"{module_of(one)}.py").write_text(self._module(one, names))
        return module_of(file)

    def _need(self, file: str, names: set[str]) -> None:
        bound, known = self._bindings(file), self.needed.setdefault(file, set())
        waiting = list(names - known)
        while waiting:
            name = waiting.pop()
            if name in known:
                continue
            if name not in bound:
                raise SourceError(f"{file} binds no {name}")
            known.add(name)
            for statement in bound[name]:
                if isinstance(statement, (ast.Import, ast.ImportFrom)):
                    self._import(file, statement, name)
                else:
                    waiting += (one for one in _loaded(statement) if one in bound and one not in known)

    def _import(self, file: str, statement: ast.Import | ast.ImportFrom, name: str) -> None:
        """What a binding by an import needs of another file; of a module that is bound whole, what is used of it."""
        source, attribute = _imported(file, statement, name)
        if source.split(".")[0] in ("triton", "__future__"):
            return
        own = self.file(source)
        if attribute and own and attribute in self._bindings(own):
            self._need(own, {attribute})
        elif whole := self.file(f"{source}.{attribute}" if attribute else source):
            used = ast.walk(ast.parse(self.files[file]))
            names = {
                one.attr for one in used if isinstance(one, ast.Attribute) and getattr(one.value, "id", "") == name
            }
            self._need(whole, names & set(self._bindings(whole)))

    def _bindings(self, file: str) -> dict[str, list[ast.stmt]]:
        found: dict[str, list[ast.stmt]] = {}
        for statement in _statements(ast.parse(self.files[file]).body):
            for name in _bound(statement):
                found.setdefault(name, []).append(statement)
        return found

    def _module(self, file: str, names: set[str]) -> str:
        bound, parts, lines = self._bindings(file), [HEAD], self.files[file]
        jitted = {name for name in names if any(_jits(one) for one in bound[name])}
        chosen = {id(one): one for name in names for one in bound[name]}
        for one in sorted(chosen.values(), key=lambda one: one.lineno):
            if isinstance(one, (ast.Import, ast.ImportFrom)):
                parts += (self._import_line(file, one, name) for name in _bound(one) if name in names)
            elif isinstance(one, ast.FunctionDef):
                text = textwrap.dedent(" " * one.col_offset + (ast.get_source_segment(lines, one) or ""))
                keeps = [ast.unparse(each) for each in one.decorator_list if "constexpr_function" in ast.unparse(each)]
                parts.append(
                    "\n\n" + "".join(f"@{each}\n" for each in keeps or ["triton.jit"] * (one.name in jitted)) + text
                )
            elif not _jits(one):
                parts.append(ast.get_source_segment(lines, one) or "")
        return "\n".join(part for part in parts if part) + "\n"

    def _import_line(self, file: str, statement: ast.Import | ast.ImportFrom, name: str) -> str:
        source, attribute = _imported(file, statement, name)
        if source.split(".")[0] == "triton":
            return f"from {source} import {attribute} as {name}" if attribute else f"import {source} as {name}"
        own = self.file(source)
        if attribute and own and attribute in self._bindings(own):
            return f"from {module_of(own)} import {attribute} as {name}"
        whole = self.file(f"{source}.{attribute}" if attribute else source)
        return f"import {module_of(whole)} as {name}" if whole else ""


def module_of(file: str) -> str:
    """The module that is written for a file.

    >>> module_of("fla/ops/utils/op.py")
    'fla_ops_utils_op'
    """
    return PurePosixPath(file).with_suffix("").as_posix().replace("/", "_").replace("-", "_").replace(".", "_")


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for one in body:
        if isinstance(one, ast.If):
            test = compile(ast.Expression(one.test), "", "eval")
            try:
                holds = bool(eval(test, _Machine()))  # a condition of the wheel's own, on names of which none is known
            except TypeError:
                holds = False
            yield from _statements(one.body if holds else one.orelse)
        elif isinstance(one, ast.Try):
            yield from _statements(one.body)
        elif isinstance(one, ast.FunctionDef) and not _jits(one):
            yield one
            yield from (inner for inner in _statements(one.body) if isinstance(inner, ast.FunctionDef) and _jits(inner))
        else:
            yield one


def _bound(statement: ast.stmt) -> Sequence[str]:
    if isinstance(statement, ast.FunctionDef):
        return [statement.name]
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [one.asname or one.name.split(".")[0] for one in statement.names]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [one.id for one in targets if isinstance(one, ast.Name)]


def _imported(file: str, statement: ast.Import | ast.ImportFrom, name: str) -> tuple[str, str]:
    """From which module a name comes, and what it is called there; empty where it is the module itself."""
    one = next(one for one in statement.names if (one.asname or one.name.split(".")[0]) == name)
    if isinstance(statement, ast.Import):
        return (one.name if one.asname else name), ""
    level = statement.level
    package = file.split("/")[:-level] if level else []
    return ".".join([*package, *filter(None, [statement.module])]), one.name


def _loaded(statement: ast.stmt) -> set[str]:
    """The names that a statement takes from outside: of a function, those that are not its own."""
    parts: list[ast.AST] = [statement]
    if isinstance(statement, ast.FunctionDef):
        parts = [*statement.body, statement.args]
    names = [one for part in parts for one in ast.walk(part) if isinstance(one, ast.Name)]
    return {one.id for one in names} - {one.id for one in names if isinstance(one.ctx, ast.Store)}


def _jits(statement: ast.stmt) -> bool:
    """Whether a statement makes a function Triton's."""
    if isinstance(statement, ast.FunctionDef):
        return any("jit" in ast.unparse(one) for one in statement.decorator_list)
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Call) and ast.unparse(value.func).startswith(("triton.jit", "triton.heuristics"))
