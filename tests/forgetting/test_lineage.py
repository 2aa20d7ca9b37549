"""What is left of a note depends on what it rests on besides."""

from __future__ import annotations

from moored.forgetting.lineage import repeats, without
from moored.model.forgetting import Rebuilt
from moored.model.notes import Anchor, AnchorRole, Revision


def _revision(number: int, text: str, *sources: str, about: str = "", fact: str = "") -> Revision:
    anchors = [Anchor(AnchorRole.SOURCE, episode=source) for source in sources]
    if about:
        anchors.append(Anchor(AnchorRole.ABOUT, episode=about))
    if fact:
        anchors.append(Anchor(AnchorRole.ABOUT, fact=fact))
    return Revision(number, f"re{number}", "no", number, text, (), "said", "agent", sources[-1], "", 1, tuple(anchors))


def test_a_note_whose_only_evidence_goes_is_left_with_nothing() -> None:
    said = _revision(1, "four ropes", "ep1")
    assert without([said], "re1", {"ep1": "four ropes"}, (), {"ep1": "four ropes"}) is None


def test_a_note_that_speaks_of_what_goes_stays_as_it_is() -> None:
    said = _revision(1, "the winch slips", "ep1", about="ep2")
    assert without([said], "re1", {"ep2": "long story"}, (), {}) == Rebuilt("no", ())


def test_a_note_that_repeats_what_goes_says_what_it_said_before() -> None:
    first = _revision(1, "ask the master", "ep1", about="ep9")
    second = _revision(2, "ask the master: the key is under the third stone", "ep2", about="ep9")
    said = {"ep9": "remember that the key is under the third stone"}
    assert without([first, second], "re2", said, (), {}) == Rebuilt("no", ("re2",), "ask the master", "re1")


def test_a_merged_note_says_what_the_sources_say_that_it_still_rests_on() -> None:
    merged = _revision(1, "four ropes\nthe winch slips", "ep1", "ep2", "ep3")
    words = {"ep1": "four ropes", "ep2": "the winch slips", "ep3": "grease it"}
    left = without([merged], "re1", {"ep1": words["ep1"]}, (), words)
    assert left is not None
    assert (left.erased, left.text, left.sources) == (("re1",), "the winch slips\ngrease it", ("ep2", "ep3"))


def test_the_turns_of_a_conversation_are_no_words_of_a_note() -> None:
    belief = _revision(1, "tests are run with make", "ep1", "ep2")
    assert without([belief], "re1", {"ep2": "make test"}, (), {}) is None


def test_a_belief_that_does_not_repeat_what_goes_rests_on_the_others() -> None:
    belief = _revision(1, "tests are run with make", "ep1", "ep2", "ep3")._replace(episode="ep3")
    assert without([belief], "re1", {"ep1": "I ran the tests, all fine"}, (), {}) == Rebuilt("no", ())


def test_a_revision_that_an_undo_made_the_newest_again_stays() -> None:
    first, second = _revision(1, "four ropes", "ep1"), _revision(2, "five ropes", "ep2")
    assert without([first, second], "re1", {"ep2": "five ropes"}, (), {}) == Rebuilt("no", ("re2",))


def test_a_revision_needs_an_anchor_that_is_left() -> None:
    bare = _revision(1, "four ropes", "ep1")._replace(anchors=(Anchor(AnchorRole.ABOUT, fact="fa1"),))
    assert without([bare], "re1", {}, {"fa1"}, {}) is None


def test_a_text_repeats_another_when_it_shares_several_words_in_a_row() -> None:
    assert repeats("and so the key is under the bench", "the key is under the third stone")
    assert not repeats("the key of the stone", "the key is under the third stone")
    assert repeats("make test it is", "make test")
    assert not repeats("anything", "")
