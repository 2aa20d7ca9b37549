"""Rules on the command line."""

from __future__ import annotations


def test_a_rule_says_its_conflicts_what_it_does_and_how_to_restore_it(call) -> None:
    call("remember", "Sending is tried three times", "--tag", "draft")
    call("rule", "add", "boost", "tag=draft", "--factor", "3")
    added = call("rule", "add", "forbid", "tag=draft", "--because", "drafts mislead")
    assert "forbid tag=draft (by person): drafts mislead" in added.out
    assert "could boost" in added.out
    assert "place 1 -> none, rule ru_" in call("rule", "test", "how often is sending tried").out
    rules = call("rule", "list", "--json").json["rules"]
    removed = call("rule", "remove", rules[1]["id"], "--json").json
    assert [one["id"] for one in call("rule", "list", "--json").json["rules"]] == [rules[0]["id"]]
    assert call("undo", removed["operation"]).code == 0
    assert call("rule", "list", "--json").json["rules"] == rules


def test_a_condition_that_does_not_read_is_an_error_with_its_place(call) -> None:
    wrong = call("rule", "add", "forbid", "kind=note and colour=red")
    assert wrong.code == 2
    assert "at character 15, 'colour': there is no such field" in wrong.err
