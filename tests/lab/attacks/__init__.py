"""The attacks of the laboratory, by name."""

from __future__ import annotations

from lab.attacks import kill, kill_server, power_cut

ATTACKS = {attack.name: attack for attack in (*kill.ATTACKS, *kill_server.ATTACKS, *power_cut.ATTACKS)}
