"""How the package is laid out: rooms in their order, imports at the top, short files, a test file for each module.

Docstrings are a part of it: what they name of the package is there, under the name that it has now.
"""

import ast
import functools
import itertools
import pkgutil
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs.generate import imports

ROOT = Path(__file__).parent.parent
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
ROOMS = next(c for c in CONTRACTS if c["type"] == "layers" and c["name"].startswith("imports go one way"))
SOLVER = next(c for c in CONTRACTS if c["type"] == "forbidden")
PARTS = {
    f"layoutalg.{path.stem}"
    for path in (ROOT / "layoutalg").iterdir()
    if path.suffix == ".py" or (path / "__init__.py").is_file()
} - {"layoutalg.__init__", "layoutalg.__main__"}
MODULES = imports.modules()
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


def test_every_part_has_a_layer() -> None:
    assert {part for layer in ROOMS["layers"] for part in layer.split(" | ")} == PARTS


def test_no_part_but_the_prover_may_import_the_solver() -> None:
    assert set(SOLVER["source_modules"]) == PARTS - {"layoutalg.prove"}


def test_no_files_import_each_other() -> None:
    graph = {name: imports.imported(name, MODULES) for name in MODULES}
    TopologicalSorter(graph).prepare()  # CycleError names the circle


def test_no_rooms_of_a_room_import_each_other() -> None:
    """At every level: of two rooms that stand side by side, one is the lower."""
    graph = {name: imports.imported(name, MODULES) for name in MODULES}
    for room in {name.rpartition(".")[0] for name in MODULES} - {""}:
        level = room.count(".") + 2
        inside = {name for name in MODULES if name.startswith(f"{room}.")}
        between: dict[str, set[str]] = {}
        for name in inside:
            own = ".".join(name.split(".")[:level])
            others = {".".join(other.split(".")[:level]) for other in graph[name] & inside}
            between.setdefault(own, set()).update(others - {own})
        TopologicalSorter(between).prepare()  # CycleError names the circle


def test_the_picture_of_the_rooms_has_all_of_them_and_no_way_back() -> None:
    order = imports.rooms()
    assert {f"layoutalg.{room}" for room in order} == PARTS
    between = imports.between_rooms()
    assert between["kernel", "prove"] > 10
    assert [pair for pair in between if order.index(pair[0]) >= order.index(pair[1])] == []
    assert str(imports.picture()).count('class="box"') == len(between)


def test_no_import_stands_in_a_function() -> None:
    """Say it at the top; what start-up must not wait for, by layoutalg.lazy."""
    indented = re.compile(r"^[ \t]+(?:import|from)\s", re.MULTILINE)
    some = {m: path for m, path in MODULES.items() if indented.search(path.read_text(encoding="utf-8"))}
    assert len(some) > 50  # those that import for types alone are among them
    found = {(str(path), line) for module, path in some.items() for line in _within_functions(_tree(module))}
    assert found == set()


def _within_functions(node: ast.AST, inside: bool = False) -> Iterator[int]:
    """The lines of imports that stand in functions."""
    if inside and _is_import(node):
        yield node.lineno
    for child in _statements(node):
        yield from _within_functions(child, inside or isinstance(node, FUNCTION))


def test_an_import_is_a_statement() -> None:
    """Who imports by a string is seen by nobody: `layoutalg.lazy` alone does, of what stands in a block of its own."""
    by_string = re.compile(r"\b(import_module|__import__|importlib\.import_module|resolve_name|runpy)\b")
    found = {name for name, path in MODULES.items() if by_string.search(path.read_text(encoding="utf-8"))}
    assert found == {"layoutalg.lazy"}


def test_what_is_imported_lazily_is_a_module() -> None:
    """A name out of a module needs the module at once."""
    lazily = [(module, block) for module in MODULES for block in _blocks(module, "lazy_imports")]
    assert len(lazily) > 50
    given = {(module, name) for module, block in lazily for _, name in _imported(block)}
    assert {(module, name) for module, name in given if not _is_module(name)} == set()


def test_what_a_benchmark_imports_is_there() -> None:
    """No test runs most of them."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "benchmarks").rglob("*.py")]
    named = {name for tree in trees for _, name in _imported([n for n in ast.walk(tree) if _is_import(n)])}
    ours = {name for name in named if name.startswith(("layoutalg.", "benchmarks."))}
    assert len(ours) > 50
    assert [name for name in sorted(ours) if not _resolves(name)] == []


def test_names_of_others_are_handed_on_by_the_package_the_prover_and_targets() -> None:
    """Who reads a spec file asks targets for types of elements, few ask for a GPU; z3's process asks for no claims."""
    handing_on = [module for module in MODULES if list(_blocks(module, "exports"))]
    assert handing_on == ["layoutalg", "layoutalg.prove", "layoutalg.target"]


def test_dataclasses_are_those_of_records_where_these_have_what_is_asked() -> None:
    """`layoutalg.records` says what it has not: order and slots."""
    sources = [
        path.read_text(encoding="utf-8") for path in (ROOT / "layoutalg").rglob("*.py") if path.stem != "records"
    ]
    others = [
        text for text in sources if re.search(r"^from dataclasses import (?:.*\W)?dataclass\b", text, re.MULTILINE)
    ]
    assert len(others) > 1
    assert all(re.search(r"^@dataclass\(.*\b(?:order|slots)=True", text, re.MULTILINE) for text in others)


def test_no_class_has_the_name_of_another_modules() -> None:
    """A name is one thing; what a module has for itself (`_Reader`) no other reads."""
    named = re.compile(r"^class (\w+)[(:]", re.MULTILINE)
    said = Counter(name for path in MODULES.values() for name in named.findall(path.read_text(encoding="utf-8")))
    assert {name for name, times in said.items() if times > 1 and not name.startswith("_")} == set()


@pytest.mark.parametrize("room", ["layoutalg", "tests"])
def test_no_file_has_more_than_400_lines(room: str) -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / room).rglob("*.py")}
    assert {path: n for path, n in lines.items() if n > 400} == {}


OF_NO_VALUE_HERE = {
    "access.by": "a field, of the statement that is spoken of",
    "device.stream": "a field, of a GPU",
    "high.origin.of": "a field, of a word's upper half",
    "instruction.bytes": "a field, of a target's LDS instruction",
    "limits.points": "a field, of the prover's limits",
    "machine.decoder": "a key of a target's file",
    "np.array": "numpy's",
    "sharing.vector": "a field, of how blocks share a reduction",
}
"""Dotted names in docstrings that are neither of the package nor of Python, and whose they are."""
FILE = re.compile(r".*\.(?:h|hip|hpp|i|json|lld|md|toml)")
DOTTED = re.compile(r"`([a-z_]\w*(?:\.\w+)+)`")


def test_a_dotted_name_in_a_docstring_is_one_of_the_package() -> None:
    """`room.module.name`, from the top of the package or from a room that the docstring's module stands in."""
    ours = {(m, name) for m, name in _named() if not FILE.fullmatch(name) and name not in OF_NO_VALUE_HERE}
    assert len(ours) > 100
    assert [(module, name) for module, name in sorted(ours) if not _is_there(name, module)] == []


def test_what_is_said_to_be_of_others_is_named_somewhere() -> None:
    assert set(OF_NO_VALUE_HERE) <= {name for _, name in _named()}


OF_NO_MODULE = {
    "test_architecture": "the imports of the whole package",
    "test_contributing": "the recipes of CONTRIBUTING",
    "test_docs": "the documentation",
    "test_exercises": "the lessons' exercises",
    "test_front": "the package itself, as one imports it",
    "test_hosts": "the GitHub Action and the pre-commit hook",
    "test_matrix": "the tests' own way with matrices and corpora",
    "test_notebooks": "the lessons",
    "test_optional": "the tests' own way with packages that are absent",
    "test_proofs": "the files in proofs/",
    "test_release": "the wheel and the source archive",
    "foreign/test_ck_instances": "benchmarks/ck, kernels of CK that are compiled here",
    "foreign/test_corpus": "kernels that others might have written, from source to result",
    "foreign/test_kernelbench": "problems of KernelBench, from source to result",
    "foreign/test_triton": "kernels that Triton compiled, from code object to result",
    "foreign/test_twins": "benchmarks/foreign/twins.toml, kernels with a seeded fault",
    "interop/cute/test_definitions": "all that the room can be asked, by definition",
    "interop/cute/test_pycute": "benchmarks/cute, the room beside NVIDIA's own",
    "isa/test_manual": "benchmarks/decoders/MANUAL.md, where AMD's XML and manual differ",
    "isa/test_new_instruction": "a recipe of CONTRIBUTING",
    "judge/test_table": "benchmarks/judge, kernels of KernelBench's first kinds",
    "kernel/library/test_new_kernel": "a recipe of CONTRIBUTING",
    "kernel/program/test_new_statement": "a recipe of CONTRIBUTING",
    "layout/test_new_transform": "a recipe of CONTRIBUTING",
    "audit/claims/test_new_claim": "a recipe of CONTRIBUTING",
    "audit/generated/test_generated": "kernels that a fuzzer draws, from source to result",
    "refine/test_proof_table": "benchmarks/binary, which measures the whole room",
    "target/test_new_gpu": "a recipe of CONTRIBUTING",
}
"""Test files that are of no one module, and what they are of."""
TESTS = {path.relative_to(ROOT / "tests").with_suffix("").as_posix() for path in (ROOT / "tests").rglob("test_*.py")}


def test_a_test_file_stands_where_its_module_does() -> None:
    """`ROOM/test_MODULE` or, of one side of it, `ROOM/test_MODULE_SIDE`."""
    for test in sorted(TESTS - set(OF_NO_MODULE)):
        folder, _, name = f"layoutalg/{test}".rpartition("/")
        modules = {path.stem for path in (ROOT / folder).glob("*") if path.name != "__init__.py"}
        subject = name.removeprefix("test_")
        of_one = any(subject == module or subject.startswith(f"{module}_") for module in modules)
        assert of_one, f"{test} is of none of {sorted(modules)}"


def test_what_is_said_to_be_of_no_module_is_there() -> None:
    assert set(OF_NO_MODULE) <= TESTS


@functools.cache
def _named() -> frozenset[tuple[str, str]]:
    """Each dotted name in a docstring, behind the module that it stands in."""
    some = [m for m, path in MODULES.items() if DOTTED.search(path.read_text(encoding="utf-8"))]
    return frozenset((m, name) for m in some for text in _docstrings(_tree(m)) for name in DOTTED.findall(text))


def _docstrings(node: ast.AST) -> Iterator[str]:
    """Of modules, classes and functions, and what stands below a constant or a field."""
    for child in _statements(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant) and isinstance(child.value.value, str):
            yield child.value.value
        yield from _docstrings(child)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """What holds statements, and is held by the node itself."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child


def _is_there(name: str, module: str) -> bool:
    if name.split(".")[0] in sys.stdlib_module_names:
        return _resolves(name)
    rooms = ["", *itertools.accumulate(module.split("."), lambda above, part: f"{above}.{part}")]
    return any(_resolves(f"{room}.{name}".strip(".")) for room in rooms)


@functools.cache
def _resolves(name: str) -> bool:
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _imported(statements: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    """The local name and the module or the object of it that each import gives."""
    for statement in statements:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            inside = f"{statement.module}." if isinstance(statement, ast.ImportFrom) else ""
            for alias in statement.names:
                yield alias.asname or alias.name, f"{inside}{alias.name}"


def _blocks(module: str, context: str) -> Iterator[list[ast.stmt]]:
    """What stands in each `with CONTEXT():` of a module."""
    for node in _tree(module).body if f"with {context}()" in MODULES[module].read_text(encoding="utf-8") else ():
        if isinstance(node, ast.With) and ast.unparse(node.items[0].context_expr) == f"{context}()":
            yield node.body


@functools.cache
def _is_module(name: str) -> bool:
    """Of the package, of Python, or of a library, where that is installed."""
    library = name.split(".")[0]
    return find_spec(library) is None or find_spec(name) is not None
