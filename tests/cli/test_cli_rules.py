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


def test_what_is_scoped_is_told_where_the_question_says_that_work_is_done(call) -> None:
    note = call("remember", "Invoices are sent on Mondays", "--tag", "billing", "--json").json["id"]
    call("rule", "add", "scope", "tag=billing", "--path", "src/billing")
    call("record", "Good morning", "--role", "user", "--host", "lab", "--session", "first")

    def told(*where: str) -> bool:
        answer = call("recall", "when are invoices sent", *where, "--json").json
        return note in [hit["id"] for hit in answer["hits"]]

    assert not told()
    assert not told("--path", "src/billing2/invoice.py")
    assert told("--path", "src/billing/invoice.py")
    (rule,) = call("rule", "list", "--json").json["rules"]
    call("rule", "remove", rule["id"])
    call("rule", "add", "scope", "tag=billing", "--session", "first")
    assert not told()
    assert told("--session", "first")
    assert f"{note} place 1 -> none" in call("rule", "test", "when are invoices sent").out
    assert note not in call("rule", "test", "when are invoices sent", "--session", "first").out


def test_where_rules_leave_out_all_that_was_found_the_answer_says_so(call) -> None:
    call("remember", "Sending is tried three times", "--tag", "draft")
    assert ", told 0 times" in call("notes").out
    call("recall", "how often is sending tried", "--kind", "note")
    assert ", told 1 time\n" in call("notes").out
    rule = call("rule", "add", "forbid", "tag=draft", "--json").json["id"]
    left = call("recall", "how often is sending tried", "--kind", "note").out
    assert left.startswith(f"all that was found is left out: rule {rule}\n")
