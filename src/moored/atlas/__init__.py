"""The atlas: notes, their revisions, anchors and verdicts."""
