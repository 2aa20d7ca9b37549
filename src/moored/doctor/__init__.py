"""Doctor: examine a store and what it stands on, and say what to do about each thing that is wrong.

It answers for a store that cannot be opened too: `explain` says why, and examines what can be examined without it.
"""

from moored.doctor.check import Check, Condition, Diagnosis
from moored.doctor.diagnosis import diagnose, explain

__all__ = ["Check", "Condition", "Diagnosis", "diagnose", "explain"]
