"""Whatever is asked of the scheduler, in whatever order: contents are right, accounts add up, everything ends."""

from __future__ import annotations

from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from kiln_engine.pacing import FixedPacing
from kiln_engine.sequence import Sequence
from tests.kiln_engine.fake_engine import FakeEngine

BLOCK_SIZE: Final = 4
NUM_EXAMPLES: Final = 200
NUM_OPERATIONS: Final = 50

prompts = st.one_of(
    # Beginnings of a few texts, so that prompts continue and repeat each other, and then something of their own.
    st.builds(
        lambda text, length, tail: tuple((position * text) % 5 for position in range(length)) + tuple(tail),
        st.integers(1, 2),
        st.integers(1, 18),
        st.lists(st.integers(0, 4), max_size=2),
    ),
    st.lists(st.integers(0, 4), min_size=1, max_size=20).map(tuple),
)


class SchedulerLaws(RuleBasedStateMachine):
    """The model is the fake engine: it knows what every slot must hold, and checks all of it after each operation."""

    @initialize(
        num_blocks=st.sampled_from([9, 10, 14, 60]),
        num_state_slots=st.sampled_from([0, 0, 1, 3, 10]),
        prefix_cache=st.sampled_from([True, True, True, False]),
        max_num_seqs=st.sampled_from([1, 4, 8, 8]),
        max_step_tokens=st.sampled_from([8, 16, 64]),
        chunk=st.sampled_from([1, 3, 7, 64]),
    )
    def begin(
        self,
        num_blocks: int,
        num_state_slots: int,
        prefix_cache: bool,
        max_num_seqs: int,
        max_step_tokens: int,
        chunk: int,
    ) -> None:
        self.num_added = 0
        self.fake = FakeEngine(
            num_blocks,
            BLOCK_SIZE,
            num_state_slots=num_state_slots,
            checkpoint_interval=2 * BLOCK_SIZE,
            prefix_cache=prefix_cache,
            max_num_seqs=max_num_seqs,
            max_step_tokens=max_step_tokens,
            pacing=FixedPacing(chunk),
        )

    @rule(
        prompt=prompts,
        count=st.sampled_from([1, 1, 2, 3, 9]),
        max_tokens=st.integers(1, 12),
        revision=st.sampled_from(["", "", "a", "b"]),
        salt=st.sampled_from(["", "", "", "s"]),
        grouped=st.booleans(),
    )
    def add(
        self, prompt: tuple[int, ...], count: int, max_tokens: int, revision: str, salt: str, grouped: bool
    ) -> None:
        for _ in range(count):
            self._add(
                Sequence(
                    str(self.num_added),
                    prompt,
                    max_tokens=max_tokens,
                    group=f"group {self.num_added // 3 if grouped else self.num_added}",
                    adapter_slot=len(revision),
                    adapter_revision=revision,
                    salt=salt,
                )
            )

    @rule(prompt=prompts)
    def score(self, prompt: tuple[int, ...]) -> None:
        self._add(Sequence(str(self.num_added), prompt, max_tokens=0, scores=True, group=f"group {self.num_added}"))

    @rule(data=st.data())
    @precondition(lambda self: self.fake.ended)
    def follow_up(self, data: st.DataObject) -> None:
        """Go on from an answer, as a conversation does."""
        earlier = data.draw(st.sampled_from(self.fake.ended))
        prompt = (*earlier.token_ids, 3)[:20]
        self._add(Sequence(str(self.num_added), prompt, max_tokens=3, adapter_revision=earlier.adapter_revision))

    @rule(data=st.data())
    @precondition(lambda self: self.fake.open)
    def cancel(self, data: st.DataObject) -> None:
        self.fake.cancel(data.draw(st.sampled_from(list(self.fake.open))))

    @rule(num_steps=st.integers(1, 4))
    def steps(self, num_steps: int) -> None:
        for _ in range(num_steps):
            self.fake.step()

    @rule()
    def failing_step(self) -> None:
        self.fake.step(fails=True)

    @rule(data=st.data())
    @precondition(lambda self: self.fake.open)
    def step_with_cancels(self, data: st.DataObject) -> None:
        self.fake.step(cancels=data.draw(st.lists(st.sampled_from(list(self.fake.open)), max_size=3, unique=True)))

    def teardown(self) -> None:
        """Whatever is still open ends by itself, within the steps that so many tokens can take."""
        if hasattr(self, "fake"):
            num_tokens = sum(sequence.num_prompt + sequence.max_tokens for sequence in self.fake.open)
            self.fake.run(20 * num_tokens)

    def _add(self, sequence: Sequence) -> None:
        self.num_added += 1
        self.fake.add(sequence)


TestSchedulerLaws = SchedulerLaws.TestCase
TestSchedulerLaws.settings = settings(
    max_examples=NUM_EXAMPLES,
    stateful_step_count=NUM_OPERATIONS,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
