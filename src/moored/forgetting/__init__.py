"""Forgetting: what was said is gone everywhere, with everything derived from it, and a scan of the files proves it.

`choosing` finds what is meant, `planning` all that goes with it, `lineage` what is left of notes that rest on more,
`hiding` takes it out of every answer for a while, `erasing` for good, `redacting` only a part of it. `fragments` and
`scanning` look for what may be left of it, and `proving` says so. Tombstones (`moored.record.tombstones`) keep it out.
"""
