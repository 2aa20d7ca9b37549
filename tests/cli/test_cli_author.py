"""Who said an episode is shown where it is known."""

from __future__ import annotations

import pytest

from moored.cli import render, shapes
from moored.model.episodes import Channel, Episode, Role, Trust
from moored.server.tools_fetch import _parts

EPISODE = Episode(
    1, "ep_1", "s", "h", Role.USER, Channel.IMPORT, Trust.DATA, b"the ferry", 2, "", "", None, "", "", 1, 1
)  # fmt: skip


@pytest.mark.parametrize("author", ["Ada", ""])
def test_the_author_is_shown_and_nothing_is_said_where_there_is_none(author: str) -> None:
    episode = EPISODE._replace(author=author)
    assert shapes.episode(episode).get("author") == (author or None)
    assert ("  said by Ada" in list(render.shown(episode))) == bool(author)
    assert _parts(episode)[3].get("author") == (author or None)
