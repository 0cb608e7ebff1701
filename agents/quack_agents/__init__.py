"""Policies that play QUACK, and the loop that lets them."""

from quack_agents.base import Agent, Policy
from quack_agents.human import HumanPolicy
from quack_agents.play import play, play_async, play_many
from quack_agents.probe import BeliefProbe, GameProbe, ProbeConfig, ProbedEnv
from quack_agents.random import RandomPolicy
from quack_agents.scripted import ScriptedPolicy
from quack_agents.vlm import VLMPolicy
from quack_env.policies import make_policy

__all__ = [
    "Agent",
    "BeliefProbe",
    "GameProbe",
    "HumanPolicy",
    "Policy",
    "ProbeConfig",
    "ProbedEnv",
    "RandomPolicy",
    "ScriptedPolicy",
    "VLMPolicy",
    "make_policy",
    "play",
    "play_async",
    "play_many",
]
