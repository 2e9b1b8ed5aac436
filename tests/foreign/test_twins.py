"""Seeded faults of `benchmarks/foreign/twins.toml`: each is one edit of a right kernel, and none of the corpora's."""

from collections import Counter

from benchmarks.foreign.cases import HIP
from benchmarks.foreign.twins import twins


def test_each_is_one_edit_of_a_right_kernel() -> None:
    every = twins()
    assert len({one.source for one in every}) == len(every) == 150
    for one in every:
        kernel = HIP[one.corpus][one.kernel]
        assert kernel.file == one.file
        before, after = kernel.source.split("\n"), one.source.split("\n")
        changed = [n for n, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]]
        assert changed == [one.line], one
        assert one.source not in [kernel.edited(broken) for broken in kernel.broken]


def test_faults_are_of_many_kinds() -> None:
    kinds = Counter(one.fault for one in twins())
    assert len(kinds) >= 10
    assert min(kinds.values()) >= 5
