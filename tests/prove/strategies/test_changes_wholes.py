"""A sum that is divided, said as an index of its own: coordinates of unknown lengths, laid out anew, are one to one."""

import pytest

from layoutalg.index import TRUE, simplify, symbol, var
from layoutalg.prove import prove
from layoutalg.prove.obligation import InjectiveMap

A, B, C = (symbol(name, min=1, max=512) for name in "ABC")
BLOCK, THREAD = var("block", (A * B * C + 63) // 64), var("thread", 64)
I = BLOCK * 64 + THREAD  # noqa: E741
GUARD = I < A * B * C
TURNED = ((I % A * B) + I // A % B) * C + I // (A * B)


def verdict(output, given=GUARD):
    return prove(InjectiveMap("turned", (BLOCK, THREAD), (simplify(output),), given))


def test_coordinates_of_unknown_lengths_are_turned_one_to_one():
    assert verdict(TURNED).strategy == "mixed radix"


@pytest.mark.parametrize(
    ("output", "given"),
    [
        (TURNED, TRUE), ((I % A * B + I // A % B) * C + I // A, GUARD),
        ((I % A * B + I // A % B) * B + I // (A * B), GUARD),
        (TURNED + BLOCK, GUARD), (TURNED, I <= A * B * C), ((I % A * B + I // A % B) * C, GUARD),
    ],
)  # fmt: skip
def test_what_two_threads_come_to_is_refuted(output, given):
    assert verdict(output, given).name == "refuted"
