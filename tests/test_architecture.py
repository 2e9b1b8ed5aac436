"""The import contracts speak of every package: one that is new must take its place in them."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
CONTRACTS = {
    contract["type"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}
PARTS = {
    f"layoutalg.{path.stem}"
    for path in (ROOT / "layoutalg").iterdir()
    if path.suffix == ".py" or (path / "__init__.py").is_file()
} - {"layoutalg.__init__", "layoutalg.__main__"}


def test_every_part_has_a_layer() -> None:
    assert {part for layer in CONTRACTS["layers"]["layers"] for part in layer.split(" | ")} == PARTS


def test_no_part_but_the_prover_may_import_the_solver() -> None:
    assert set(CONTRACTS["forbidden"]["source_modules"]) == PARTS - {"layoutalg.prove"}
