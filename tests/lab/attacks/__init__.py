"""The attacks of the laboratory, by name."""

from __future__ import annotations

from lab.attacks import change_key, kill, kill_server, migrate, power_cut, restore

MODULES = (kill, kill_server, migrate, power_cut, change_key, restore)
ATTACKS = {attack.name: attack for module in MODULES for attack in module.ATTACKS}
