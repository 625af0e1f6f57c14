"""Who waits, in which order."""

from __future__ import annotations

from kiln_engine.sequence import Sequence
from kiln_engine.waiting import WaitingQueue


def sequences(count: int, *, group: str | None = None, prompt: tuple[int, ...] = (1, 2)) -> list[Sequence]:
    made = [Sequence(str(index), prompt, max_tokens=1, group=group) for index in range(count)]
    for index, sequence in enumerate(made):
        sequence.arrival = index
    return made


def test_who_comes_back_is_at_its_old_place() -> None:
    queue = WaitingQueue()
    first, second, third = sequences(3)
    for sequence in (first, second, third):
        queue.add(sequence)
    queue.discard(second)
    assert list(queue) == [first, third]
    queue.add(second)
    assert list(queue) == [first, second, third]
    assert len(queue) == 3


def test_who_does_not_wait_can_be_discarded() -> None:
    queue = WaitingQueue()
    first, second = sequences(2)
    queue.discard(first)
    queue.add(first)
    queue.discard(second)
    queue.discard(Sequence("new", (1,), max_tokens=1))
    assert list(queue) == [first]


def test_siblings_want_the_same_computation() -> None:
    leader, twin, later = sequences(3, group="g")
    others = [
        Sequence("prompt", (1, 3), max_tokens=1, group="g"),
        Sequence("group", (1, 2), max_tokens=1, group="h"),
        Sequence("alone", (1, 2), max_tokens=1),
        Sequence("salt", (1, 2), max_tokens=1, group="g", salt="s"),
        Sequence("revision", (1, 2), max_tokens=1, group="g", adapter_revision="r"),
        Sequence("slot", (1, 2), max_tokens=1, group="g", adapter_slot=1),
        Sequence("scores", (1, 2), max_tokens=1, group="g", scores=True),
        Sequence("grown", (1, 2), max_tokens=2, group="g"),
    ]
    others[-1].append(4)
    queue = WaitingQueue()
    for arrival, sequence in enumerate([leader, *others, later, twin]):
        sequence.arrival = arrival
        queue.add(sequence)
    queue.discard(leader)
    assert queue.siblings(leader) == (later, twin)
    queue.discard(later)
    queue.discard(twin)
    assert queue.siblings(leader) == ()
    assert queue.siblings(others[2]) == ()
