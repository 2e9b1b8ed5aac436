"""The barriers of a ring: carried out in random orders, and proved for any number of tiles."""

from collections import deque
from random import Random

import pytest

from layoutalg.kernel.obligations import ring as ringed
from layoutalg.prove import Proved, Refuted, prove
from tests.fuzzing import FIRST, count


class Barriers:
    """Phase barriers as the hardware has them: a count of ended phases, of which a test sees the last bit."""

    def __init__(self, slots: int, arrivals: int) -> None:
        self.ended, self.left, self.arrivals = [0] * slots, [arrivals] * slots, arrivals

    def arrive(self, slot: int) -> None:
        self.left[slot] -= 1
        if not self.left[slot]:
            self.ended[slot] += 1
            self.left[slot] = self.arrivals

    def passes(self, slot: int, phase: int) -> bool:
        return (self.ended[slot] & 1) != (phase & 1)


def carried_out(random: Random, slots: int, waves: int, tiles: int, off: int = 0, early: bool = False) -> str:
    """One run of the emitted text, its parts in a random order: what went wrong.

    `off`: phases that the loader's test is off by; `early`: waves leave a tile before its products are done.
    """
    full, empty = Barriers(slots, 1), Barriers(slots, waves)
    holds: list[int | None] = [None] * slots
    begun, flying, at, multiplying = 0, deque[int](), [0] * waves, [None] * waves
    while min(at) < tiles or any(m is not None for m in multiplying):
        steps = []
        if begun < tiles and empty.passes(begun % slots, begun // slots - 1 + off):
            steps.append(("begin", 0))
        steps += [("land", tile) for tile in flying]
        steps += [("wave", w) for w in range(waves) if at[w] < tiles and full.passes(at[w] % slots, at[w] // slots)]
        steps += [("done", w) for w in range(waves) if multiplying[w] is not None and at[w] == tiles]
        if not steps:
            return "deadlock"
        what, n = random.choice(steps)
        if what == "begin":
            if any(m is not None and m % slots == begun % slots for m in multiplying):
                return "overwritten"
            holds[begun % slots] = None
            flying.append(begun)
            begun += 1
        elif what == "land":
            flying.remove(n)
            holds[n % slots] = n
            full.arrive(n % slots)
        elif what == "wave":
            tile = at[n]
            if holds[tile % slots] != tile:
                return "another tile is read"
            before, multiplying[n] = multiplying[n], tile
            if early:
                empty.arrive(tile % slots)
            elif before is not None:
                empty.arrive(before % slots)
            at[n] += 1
        else:
            multiplying[n] = None
    return ""


@pytest.mark.fuzz
def test_no_order_in_which_parts_come_goes_wrong():
    for seed in range(FIRST, FIRST + count(60)):
        random = Random(seed)
        slots, waves, tiles = random.randint(2, 5), random.randint(1, 4), random.randint(1, 24)
        assert carried_out(random, slots, waves, tiles) == "", (seed, slots, waves, tiles)


@pytest.mark.parametrize("wrong", [{"off": 1}, {"early": True}])
def test_a_wrong_protocol_goes_wrong_in_some_order(wrong):
    said = {carried_out(Random(seed), 3, 2, 12, **wrong) for seed in range(40)}
    assert said - {""}


def test_one_slot_would_block():
    assert {carried_out(Random(seed), 1, 2, 4) for seed in range(10)} == {"deadlock"}
    told = {r.about: prove(r.claim) for r in ringed._protocol("ring", 1)}
    assert [about for about, v in told.items() if isinstance(v, Refuted)] == [
        "ring: while all wait another tile may be begun"
    ]


@pytest.mark.parametrize("slots", [2, 3, 4, 5, 8])
def test_the_protocol_is_proved_for_any_number_of_tiles(slots):
    for r in ringed._protocol("ring", slots):
        assert isinstance(prove(r.claim), Proved), r.about
        assert isinstance(prove(r.claim, strategy="z3"), Proved), r.about


# --- in turns ---------------------------------------------------------------------------------------------------------


class Turns:
    """The emitted text of a persistent program, a generator for each sort of thread, which yields what it waits for.

    What `wrong` names is left out or done otherwise.
    """

    def __init__(self, slots: int, waves: int, tiles: list[int], wrong: str = "") -> None:
        self.slots, self.waves, self.tiles, self.wrong = slots, waves, tiles, wrong
        self.full, self.empty = Barriers(slots, 1), Barriers(slots, waves)
        self.holds: list[int | None] = [None] * slots
        self.flying, self.multiplied = list[tuple[int, int]](), [set[int]() for _ in range(waves)]
        self.met, self.results = [0] * waves, [-1] * waves

    def kept(self, turn: int) -> int:
        return 0 if turn + 1 == 2 * self.slots else turn + 1

    def loader(self):
        kept = number = 0
        for tiles in self.tiles:
            kept = 0 if self.wrong == "counted anew" else kept
            for _ in range(tiles):
                slot, phase = kept % self.slots, kept // self.slots + 1
                yield lambda slot=slot, phase=phase: self.empty.passes(slot, phase)
                assert not any(slot in used for used in self.multiplied), "overwritten"
                self.holds[slot] = None
                self.flying.append((number, slot))
                kept, number = self.kept(kept), number + 1

    def land(self, one: tuple[int, int]) -> None:
        self.flying.remove(one)
        self.holds[one[1]] = one[0]
        self.full.arrive(one[1])

    def meet(self, wave: int):
        self.met[wave] += 1
        return lambda meeting=self.met[wave]: min(self.met) >= meeting

    def wave(self, w: int):
        kept = number = 0
        for turn, tiles in enumerate(self.tiles):
            kept = 0 if self.wrong == "counted anew" else kept
            last = None
            for _ in range(tiles):
                slot, phase = kept % self.slots, kept // self.slots
                yield lambda slot=slot, phase=phase: self.full.passes(slot, phase)
                assert self.holds[slot] == number, "another tile is read"
                self.multiplied[w].add(slot)
                yield lambda: True
                if last is not None:
                    self.multiplied[w].discard(last)
                    self.empty.arrive(last)
                last, kept, number = slot, self.kept(kept), number + 1
            self.multiplied[w].clear()
            if self.wrong != "the last is not left":
                self.empty.arrive(last)
            if self.wrong != "no barrier before results":
                yield self.meet(w)
            self.results[w] = turn
            yield self.meet(w)
            for other in range(self.waves):
                assert self.results[other] == turn, "results of another turn"
                yield lambda: True

    def run(self, random: Random) -> str:
        threads = [self.loader(), *map(self.wave, range(self.waves))]
        waiting = {thread: next(thread) for thread in threads}
        while waiting:
            ready = [thread for thread, passes in waiting.items() if passes()]
            if not ready and not self.flying:
                return "deadlock"
            chosen = random.choice([*ready, *self.flying])
            if isinstance(chosen, tuple):
                self.land(chosen)
                continue
            try:
                waiting[chosen] = next(chosen)
            except StopIteration:
                del waiting[chosen]
            except AssertionError as error:
                return str(error).partition("\n")[0]
        return ""


@pytest.mark.fuzz
def test_a_ring_goes_on_from_turn_to_turn_in_every_order():
    for seed in range(FIRST, FIRST + count(40)):
        random = Random(seed)
        slots, waves = random.randint(2, 5), random.randint(1, 4)
        tiles = [random.randint(1, 7)] * random.randint(1, 5)
        assert Turns(slots, waves, tiles).run(random) == "", (seed, slots, waves, tiles)


@pytest.mark.parametrize(
    ("wrong", "tiles", "said"),
    [
        ("the last is not left", 4, "deadlock"),
        ("counted anew", 4, "another tile is read"),
        ("no barrier before results", 1, "results of another turn"),
    ],
)
def test_turns_that_are_wrong_go_wrong_in_some_order(wrong, tiles, said):
    assert said in {Turns(3, 2, [tiles] * 4, wrong).run(Random(seed)) for seed in range(40)}
