"""Probes: what policies believe at chosen moments, taken without leaving a trace in them."""

from quack_agents.probe.config import PRESETS, QUESTIONS, TRIGGERS, ProbeConfig, Question
from quack_agents.probe.inquiry import Estimate, Inquiry
from quack_agents.probe.probes import BeliefProbe, GameProbe, ProbedEnv

__all__ = [
    "PRESETS",
    "QUESTIONS",
    "TRIGGERS",
    "BeliefProbe",
    "Estimate",
    "GameProbe",
    "Inquiry",
    "ProbeConfig",
    "ProbedEnv",
    "Question",
]
