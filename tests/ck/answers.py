"""What the compiler built of a few configurations, kept so that claims on it are tested without a compiler.

python -m tests.ck.answers      # asks the compiler anew; a slow test holds the file to it
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from layoutalg.ck import instances
from layoutalg.ck.space import Configuration, named
from layoutalg.device.constants import constants
from tests.composable_kernel import composable_kernel

FILE = Path(__file__).with_name("answers.json")
TARGET = "gfx942"
RIGHT, SHUFFLED, TALL = (
    named("fp16_rcr_compv3_cshuffle_intrawave_128x128x32_2x2x1_32x32x8", "", ""),
    named("bf16_crr_mem_cshuffle_intrawave_64x128x64_2x2x1_16x16x16", "", ""),
    named("fp16_rcr_compv4_cshuffle_intrawave_192x64x32_4x1x1_16x16x16", "", ""),
)
STRAIGHT = named("fp16_crr_comp_async_cshuffle_intrawave_64x64x64_2x2x1_16x16x32", "", "")
"""Straight to LDS and read transposed, both of gfx950."""


def target_of(one: Configuration) -> str:
    """Whose code a configuration was compiled for."""
    return "gfx950" if one == STRAIGHT else TARGET


def asked(target: str) -> dict[str, str]:
    """The questions of a target's configurations here."""
    return {
        f"{question.__name__} {one}": question(one)
        for one in (RIGHT, SHUFFLED, TALL, STRAIGHT)
        if target_of(one) == target
        for question in (instances.pipeline, instances.epilogue)
    }


def kept(one: Configuration) -> tuple[Any, Any]:
    """The answers to both questions of a configuration."""
    found = json.loads(FILE.read_text())
    return found[f"pipeline {one}"], found[f"epilogue {one}"]


def compiled() -> dict[str, Any]:
    """The answers, by the compiler."""
    include = [composable_kernel() / "include"]
    return {
        name: answer
        for target in (TARGET, target_of(STRAIGHT))
        for name, answer in constants(instances.unit(target, include), asked(target)).items()
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(compiled(), indent=1) + "\n")
