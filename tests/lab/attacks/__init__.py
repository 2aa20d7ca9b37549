"""The attacks of the laboratory, by name."""

from __future__ import annotations

from lab.attacks import power_cut

ATTACKS = {attack.name: attack for attack in (*power_cut.ATTACKS,)}
