"""Scripted situations: given decisions up to a moment, policies under test in the seats that are left (beliefs.md)."""

from quack_agents.situations.acting import check, perform
from quack_agents.situations.course import Course, SceneOver
from quack_agents.situations.reading import load_situation, shipped
from quack_agents.situations.situation import Mirror, Situation, SituationError

__all__ = [
    "Course",
    "Mirror",
    "SceneOver",
    "Situation",
    "SituationError",
    "check",
    "load_situation",
    "perform",
    "shipped",
]
