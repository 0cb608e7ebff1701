"""A model server for tests and for trying things out: the OpenAI chat protocol on loopback, without any model.

It reads the prompts of `quack_agents.vlm`, plays sensibly from them, reads simple claims where the model extractor asks
for them, and can be told to misbehave.
"""

from quack_agents.mock_server.misbehaviour import MODES, Misbehaviour
from quack_agents.mock_server.server import MockServer

__all__ = ["MODES", "Misbehaviour", "MockServer"]
