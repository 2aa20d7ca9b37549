"""The attacks of the laboratory, by name."""

from __future__ import annotations

from lab.attacks import kill, kill_server, migrate, power_cut

MODULES = (kill, kill_server, migrate, power_cut)
ATTACKS = {attack.name: attack for module in MODULES for attack in module.ATTACKS}
