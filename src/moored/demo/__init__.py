"""The demo: every promise that matters day to day, shown on a copy of a real repository and checked as it is shown."""

from moored.demo.promises import PromiseBroken
from moored.demo.story import tell

__all__ = ["PromiseBroken", "tell"]
