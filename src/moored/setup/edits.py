"""Carrying an edit out on the text of a file, and taking it back.

An edit that was carried out leaves an `Entry`: what is needed to find our part again in a file that others have changed
since. It is data of plain types, because it is kept in the journal and may be read by a later version of moored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from moored.hosts.edits import HOOK, SERVER, Block, Edit, Given, Hooks, Member, Table, Whole
from moored.setup import blocks, json_edit, jsonc, toml_edit

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """Our part of a file: of what kind it is, the path of keys where it is, and the containers that came with it."""

    kind: str
    path: Keys = ()
    nested: bool = False
    made: tuple[Keys, ...] = ()


def apply(text: str, edit: Edit) -> tuple[str, Entry]:
    """Carry an edit out on a text. Raises `InvalidInput` where the text does not allow it."""
    match edit:
        case Member():
            return _member(text, edit)
        case Given():
            there = json_edit.find(jsonc.parse(text), edit.path) is not None
            result = text if there else json_edit.put(text, edit.path, edit.value)
            return result, Entry("given", edit.path, made=() if there else (edit.path,))
        case Hooks():
            return _hooks(text, edit)
        case Table():
            return toml_edit.put(text, edit.path, edit.value), Entry("table", edit.path)
        case Block():
            return blocks.put(text, edit.text), Entry("block")
        case Whole():
            return edit.text, Entry("whole")


def ours(text: str, edit: Edit) -> Entry | None:
    """Our part of a text in which any set-up, also of another version or path of moored, carried out an edit of the
    same kind; None when there is none. Raises `InvalidInput` when the text cannot be read.
    """
    match edit:
        case Hooks():
            events = [event for event in _events(text, edit.path) if _has_ours(_list(text, edit.path, event), edit)]
            made = (edit.path, *((*edit.path, event) for event in events))
            return Entry("hooks", edit.path, edit.nested, made) if events else None
        case Member():
            node = json_edit.find(jsonc.parse(text), edit.path)
            above = tuple(edit.path[:depth] for depth in range(1, len(edit.path)))
            return Entry("member", edit.path, made=above) if node and _is_server(node.value, edit.value) else None
        case Table():
            return Entry("table", edit.path) if _is_server(toml_edit.find(text, edit.path), edit.value) else None
        case Block():
            return Entry("block") if blocks.BEGIN in text else None
        case Whole():
            alike = HOOK in text and text.split("\n", 1)[0] == edit.text.split("\n", 1)[0]
            return Entry("whole") if text == edit.text or alike else None
        case Given():
            return None


def take_back(text: str, entry: Entry) -> str:
    """Take our part out of a text. Raises `InvalidInput` when the text cannot be read any more."""
    match entry.kind:
        case "member":
            return _without_containers(json_edit.take(text, entry.path), entry)
        case "hooks":
            return _without_containers(_without_hooks(text, entry.path, entry.nested), entry)
        case "given":
            root = jsonc.parse(text)
            alone = entry.made and root is not None and [child.key for child in root.children] == [entry.path[0]]
            return json_edit.take(text, entry.path) if alone else text
        case "table":
            return toml_edit.take(text, entry.path)
        case "block":
            return blocks.take(text)
        case _:
            return ""


def is_empty(text: str) -> bool:
    """Whether a text that we began holds nothing any more."""
    return text.strip("\ufeff \t\r\n") in ("", "{}")


def _member(text: str, edit: Member) -> tuple[str, Entry]:
    made = _missing(text, edit.path[:-1])
    node = json_edit.find(jsonc.parse(text), edit.path)
    if node is None or node.kind != "object":
        return json_edit.put(text, edit.path, dict(edit.value)), Entry("member", edit.path, made=made)
    for key, value in edit.value.items():
        text = json_edit.put(text, (*edit.path, key), value)
    return text, Entry("member", edit.path, made=made)


def _hooks(text: str, edit: Hooks) -> tuple[str, Entry]:
    """See that in every list of hooks there is one element of ours, the wanted one, and in no other list one."""
    made = [*_missing(text, edit.path)]
    for event in edit.elements:
        made += [keys for keys in _missing(text, (*edit.path, event)) if keys not in made]
    for event in _events(text, edit.path):
        wanted = edit.elements.get(event)
        ours = list(_ours(_list(text, edit.path, event), edit.nested))
        if ours and not (wanted and _is(ours, text, edit, event)):
            text = _without_ours(text, (*edit.path, event), edit.nested)
            if not _list(text, edit.path, event) and wanted is None:
                text = json_edit.take(text, (*edit.path, event))
    for event, element in edit.elements.items():
        if not _has_ours(_list(text, edit.path, event), edit):
            text = json_edit.append(text, (*edit.path, event), dict(element))
    return text, Entry("hooks", edit.path, edit.nested, tuple(made))


def _is(ours: list[tuple[int, int]], text: str, edit: Hooks, event: str) -> bool:
    """Whether the one element of ours is as it is wanted."""
    elements = _list(text, edit.path, event)
    return len(ours) == 1 and elements[ours[0][0]] == edit.elements[event]


def _without_hooks(text: str, path: Keys, nested: bool) -> str:
    for event in _events(text, path):
        text = _without_ours(text, (*path, event), nested)
    return text


def _without_ours(text: str, path: Keys, nested: bool) -> str:
    """Take our commands out of a list; a group that held nothing else goes with them."""
    while ours := list(_ours(_list(text, path[:-1], path[-1]), nested)):
        element, inner = ours[-1]
        group = _list(text, path[:-1], path[-1])[element]
        alone = not nested or len(group["hooks"]) == 1
        text = json_edit.take(text, (*path, element) if alone else (*path, element, "hooks", inner))
    return text


def _ours(elements: list[Any], nested: bool) -> Iterator[tuple[int, int]]:
    """Where our commands are in a list: the index of the element and, in a group, that of the command in it."""
    for index, element in enumerate(elements):
        commands = _commands(element) if nested else [element]
        for inner, command in enumerate(commands):
            if isinstance(command, dict) and HOOK in str(cast(dict[str, Any], command).get("command", "")):
                yield index, inner


def _has_ours(elements: list[Any], edit: Hooks) -> bool:
    return any(True for _ in _ours(elements, edit.nested))


def _is_server(there: Any, wanted: Mapping[str, Any]) -> bool:
    """Whether an entry of a server is one that set-up wrote: it calls moored, and has no keys but those of set-up."""
    return isinstance(there, dict) and there.keys() == wanted.keys() and SERVER in str(cast(dict[str, Any], there))


def _commands(group: Any) -> list[Any]:
    found = cast(dict[str, Any], group).get("hooks") if isinstance(group, dict) else None
    return cast(list[Any], found) if isinstance(found, list) else []


def _events(text: str, path: Keys) -> list[str]:
    """The events that have a list of hooks."""
    node = json_edit.find(jsonc.parse(text), path)
    if node is None:
        return []
    return list(dict.fromkeys(child.key for child in node.children if child.node.kind == "array"))


def _list(text: str, path: Keys, event: str) -> list[Any]:
    node = json_edit.find(jsonc.parse(text), (*path, event))
    return node.value if node is not None and node.kind == "array" else []


def _missing(text: str, path: Keys) -> tuple[Keys, ...]:
    """The objects and lists on a path that are not there."""
    root = jsonc.parse(text)
    steps = (path[:depth] for depth in range(1, len(path) + 1))
    return tuple(step for step in steps if json_edit.find(root, step) is None)


def _without_containers(text: str, entry: Entry) -> str:
    """Take out the containers that came with our part, when nothing else stands in them."""
    for path in sorted(entry.made, key=len, reverse=True):
        node = json_edit.find(jsonc.parse(text), path)
        if node is not None and node.kind != "scalar" and not _holds(text, node):
            text = json_edit.take(text, path)
    return text


def _holds(text: str, node: jsonc.Node) -> bool:
    """Whether a container holds anything, be it a comment."""
    return bool(text[node.start + 1 : node.end - 1].strip())


def as_data(entry: Entry) -> dict[str, Any]:
    """An entry as the journal keeps it."""
    made = [list(path) for path in entry.made]
    return {"kind": entry.kind, "path": list(entry.path), "nested": entry.nested, "made": made}


def from_data(data: Mapping[str, Any]) -> Entry:
    """The entry that the journal kept."""
    return Entry(data["kind"], tuple(data["path"]), data["nested"], tuple(tuple(path) for path in data["made"]))
