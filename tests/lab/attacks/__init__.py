"""The attacks of the laboratory, by name."""

from __future__ import annotations

from lab.attacks import kill, power_cut

ATTACKS = {attack.name: attack for attack in (*kill.ATTACKS, *power_cut.ATTACKS)}
