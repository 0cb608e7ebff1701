"""Models as players: prompts, memory, reading replies, and the policy made of them."""

from quack_agents.vlm.calls import load_calls, rates
from quack_agents.vlm.policy import VLMPolicy

__all__ = ["VLMPolicy", "load_calls", "rates"]
