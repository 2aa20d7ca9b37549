"""The numbers of a note: pure, bounded, explained, and none of them mistaken for truth."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.atlas.state import DAY, HALF_LIFE, PRIOR, heat, state, together, told
from moored.model.notes import Anchor, AnchorRole, JudgedAnchor, JudgedNote, Note, Revision, State, Verdict
from moored.model.state import AUTHORITY, Counts, NoteState, Use

NOW = 1_750_000_000_000
HOLDS = Verdict(State.CURRENT)


def note(
    kind: str = "note",
    verdict: State = State.CURRENT,
    *,
    begun: int = 0,
    stood: int = 0,
    number: int = 1,
    anchors: int = 0,
    protected: str = "",
) -> JudgedNote:
    """A note that was begun, and stands as it is, for so many days."""
    about = Anchor(AnchorRole.ABOUT, fact="fa_1", path="quay.py", name="moor")
    head = Revision(1, "re_1", "no_1", number, "text", (), "remembered", "agent", "ep_1", "", NOW - stood * DAY, ())
    judged = tuple(JudgedAnchor(about, HOLDS, "quay.py", 1) for _ in range(anchors))
    return JudgedNote(Note("no_1", kind, "", NOW - begun * DAY, head, protected), Verdict(verdict), judged)


def numbers(judged: JudgedNote, use: Use | None = None, *, now: int = NOW, **counts: int) -> NoteState:
    return state(judged, use, Counts(**counts), now)


def confidence(judged: JudgedNote | None = None, **counts: int) -> float:
    value = numbers(judged or note(), **counts).confidence.value
    assert value is not None
    return value


times = st.lists(st.integers(NOW - 800 * DAY, NOW), min_size=1, max_size=12)


@given(times, st.randoms(use_true_random=False))
def test_the_heat_is_the_sum_of_its_uses_in_whatever_order_they_are_counted(used: list[int], order) -> None:
    exact = sum(2 ** (-(NOW - at) / HALF_LIFE) for at in used)
    shuffled = order.sample(used, len(used))
    use: Use | None = None
    for at in shuffled:
        use = told(use, at)
    assert use is not None
    assert heat(use, NOW) == pytest.approx(exact)
    assert (use.uses, use.last_at) == (len(used), max(used))


@given(times, times, times)
def test_accounts_of_several_processes_add_up_in_any_order(
    first: list[int], second: list[int], third: list[int]
) -> None:
    def account(used: list[int]) -> Use:
        use: Use | None = None
        for at in used:
            use = told(use, at)
        assert use is not None
        return use

    sums = {
        round(heat(together(together(a, b), c), NOW), 9)
        for a, b, c in permutations((account(first), account(second), account(third)))
    }
    assert max(sums) - min(sums) < 1e-6


@given(times, st.lists(st.integers(NOW, NOW + 800 * DAY), max_size=40))
def test_the_heat_does_not_depend_on_how_often_anything_asks_for_it(used: list[int], asked: list[int]) -> None:
    use: Use | None = None
    for at in used:
        use = told(use, at)
    later = NOW + 900 * DAY
    before = heat(use, later)
    for at in asked:
        numbers(note(), use, now=at)
    assert heat(use, later) == before


@given(times, st.integers(0, 3_000), st.integers(0, 3_000))
def test_the_heat_only_falls_while_nothing_is_used(used: list[int], first: int, second: int) -> None:
    use: Use | None = None
    for at in used:
        use = told(use, at)
    sooner, later = sorted((first, second))
    assert heat(use, NOW + sooner * DAY) >= heat(use, NOW + later * DAY) >= 0


counts = st.builds(Counts, *(st.integers(0, 10_000) for _ in Counts._fields))
notes = st.builds(
    note,
    st.sampled_from(["note", "decision", "constraint", "lesson", "whatever"]),
    st.sampled_from(State),
    begun=st.integers(0, 4_000),
    stood=st.integers(0, 4_000),
    number=st.integers(1, 500),
    anchors=st.integers(0, 60),
    protected=st.sampled_from(["", "it is a decision"]),
)


@given(notes, counts)
def test_every_number_has_its_bounds_and_says_what_it_was_made_from(judged: JudgedNote, counted: Counts) -> None:
    made = state(judged, None, counted, NOW)
    for measure in (made.confidence, made.importance, made.stability):
        assert measure.inputs
        assert measure.value is None or 0 <= measure.value <= 1
    assert made.confidence.value != 0
    assert (made.stability.value is None) == (judged.verdict.state is State.UNVERIFIABLE)


def test_a_note_of_which_nothing_is_known_has_the_confidence_of_one_and_says_so() -> None:
    made = numbers(note()).confidence
    assert made.value == pytest.approx(PRIOR)
    assert made.inputs == ("nothing speaks for or against it yet",)


def test_few_ratings_move_little_and_many_no_further_than_a_bound() -> None:
    assert confidence() < confidence(useful=1) < confidence() + 0.05
    assert confidence(useful=100_000) - confidence() < 0.15
    assert confidence() - confidence(useless=100_000) < 0.25
    assert confidence(useful=100_000) < confidence(won=1, restated=2, supporting=2)


def test_a_rating_does_not_make_a_stale_note_current() -> None:
    rated = numbers(note(verdict=State.STALE), useful=100_000, restated=9, supporting=9)
    assert rated.confidence.value is not None
    assert rated.confidence.value <= AUTHORITY[State.STALE] < confidence()
    assert "since it is stale" in rated.confidence.inputs[-1]
    assert rated.stability.value == 0


def test_somebody_who_repeats_himself_proves_no_more_than_a_bound() -> None:
    assert confidence(restated=5) == confidence(restated=5_000)
    assert confidence(opposing=5) == confidence(opposing=5_000)


def test_what_was_lost_weighs_more_than_what_was_won() -> None:
    assert confidence(won=1, lost=1) < confidence()
    assert confidence(upheld=1) > confidence() > confidence(overturned=1)


@given(notes, counts, st.integers(0, 4_000))
def test_importance_does_not_climb_by_itself(judged: JudgedNote, counted: Counts, days: int) -> None:
    before = state(judged, None, counted, NOW).importance
    used: Use | None = None
    for day in range(0, days, 40):
        used = told(used, NOW + day * DAY)
    assert state(judged, used, counted, NOW + days * DAY).importance == before


def test_importance_comes_from_the_kind_protection_anchors_and_links() -> None:
    plain = numbers(note()).importance.value or 0
    assert (numbers(note("decision")).importance.value or 0) > plain
    assert (numbers(note(protected="asked for")).importance.value or 0) > plain
    assert (numbers(note(anchors=1)).importance.value or 0) > plain
    assert (numbers(note(), links=1).importance.value or 0) > plain


def test_a_note_that_nothing_can_be_checked_of_has_no_known_stability() -> None:
    made = numbers(note(verdict=State.UNVERIFIABLE, begun=90, stood=90)).stability
    assert made.value is None
    assert "unknown" in made.inputs[0]


def test_stability_grows_while_a_note_stands_and_is_less_for_one_that_is_often_revised() -> None:
    fresh, settled = note(begun=1, stood=1), note(begun=300, stood=300)
    restless = note(begun=300, stood=300, number=30)
    values = [numbers(one).stability.value or 0 for one in (fresh, restless, settled)]
    assert values == sorted(values)
    assert len(set(values)) == 3


def test_after_a_simulated_year_the_ordering_is_still_sensible() -> None:
    """A year of days in which every number is asked for every day, and four notes are used in different ways."""
    patterns = {
        "daily": range(365),
        "weekly": range(0, 365, 7),
        "once, lately": range(360, 361),
        "often, long ago": range(60),
        "never": range(0),
    }
    uses: dict[str, Use | None] = dict.fromkeys(patterns)
    for day in range(365):
        at = NOW + day * DAY
        for name, days in patterns.items():
            if day in days:
                uses[name] = told(uses[name], at)
            numbers(note(), uses[name], now=at)
    end = NOW + 365 * DAY
    hottest = sorted(patterns, key=lambda name: -heat(uses[name], end))
    assert hottest == ["daily", "weekly", "once, lately", "often, long ago", "never"]
    made = numbers(note("decision", begun=0, stood=0), uses["daily"], now=end)
    idle = numbers(note("decision", begun=0, stood=0), uses["never"], now=end)
    assert made[1:] == idle[1:], "use is no evidence, makes nothing more important and settles nothing"
    assert heat(uses["daily"], end) < 1 / (1 - 2 ** (-DAY / HALF_LIFE)) + 1, "a year of uses does not run away"
