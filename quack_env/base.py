"""What the AEC and the parallel form share: options, spaces, observations, infos, saving."""

from __future__ import annotations

import inspect
import os
from array import array
from collections.abc import Mapping
from contextlib import suppress
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from quack_env.briefing import AGENT, Briefing
from quack_env.config import GameConfig
from quack_env.encode.sizes import image_sizes
from quack_env.encode.text import summary
from quack_env.encode.vector import Layout, named, vector
from quack_env.errors import ConfigError, IllegalActionError, NotResetError
from quack_env.game import Game
from quack_env.game_map import GameMap, check_words
from quack_env.header import Header
from quack_env.replay import deal
from quack_env.spaces import ActionWithText, AnyText, MaskedDiscrete
from quack_env.view import View
from quack_env.world import SPEECH
from quack_env.yaml_file import meant, shown

if TYPE_CHECKING:
    from quack_env.encode.image import ImageEncoder
    from quack_env.render.stage import Stage

OBSERVATIONS = ("image+dict", "dict", "vector", "text")
RENDER_MODES = ("human", "rgb_array")
DEAD_AGENTS = ("noop", "remove")
IMAGES = ("global_map", "local_view")
MAX_SUMMARY = 200_000
"""Characters of the text observation at most."""


# pygame is imported only by those who draw.


def image_encoder(briefing: Briefing, image_size: int | tuple[int, int]) -> ImageEncoder:
    """The encoder of a game's images."""
    from quack_env.encode.image import ImageEncoder

    return ImageEncoder(briefing, image_size)


def image_spaces(image_size: int | tuple[int, int]) -> dict[str, spaces.Space[Any]]:
    """The spaces of both images: uint8 (S, S, 3)."""
    return {
        name: spaces.Box(0, 255, (size, size, 3), np.uint8)
        for name, size in zip(IMAGES, image_sizes(image_size), strict=True)
    }


def new_stage(render_mode: str) -> Stage:
    """The spectator's view."""
    from quack_env.render.stage import Stage

    return Stage(render_mode)


def mask_array(mask: bytes | bytearray) -> NDArray[np.int8]:
    """A fresh, writable int8 (A,) array of a mask."""
    return np.frombuffer(bytearray(mask), np.int8)


def one_of(name: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """The one of those allowed that equals the value; where none does, a `ConfigError` that says what is allowed."""
    for one in allowed:
        kind = (int, np.integer) if isinstance(one, int) else type(one)
        if isinstance(value, kind) and not isinstance(value, bool) and value == one:
            return one
    raise ConfigError(f"{name}={shown(value)}: must be one of {', '.join(repr(a) for a in allowed)}")


def none_of(others: Mapping[str, Any], *made: type) -> None:
    """A `ConfigError` where there are other options than those of the classes made; it says what is allowed."""
    kinds = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL
    allowed = {p.name: p for one in made for p in inspect.signature(one).parameters.values() if p.kind not in kinds}
    for name, value in ((name, value) for name, value in others.items() if name not in allowed):
        if name == "map":
            raise ConfigError(f"map={shown(value)}: no such option; give game_map={shown(value)}")
        if name in GameConfig.model_fields:
            raise ConfigError(
                f"{name}={shown(value)}: is a setting of the game, give config={{{name!r}: {shown(value)}}}"
            )
        told = f"no such option{meant(name, allowed)}; there are {', '.join(allowed)}"
        raise ConfigError(f"{name}={shown(value)}: {told}")


def deal_of(options: Mapping[str, Any] | None) -> Header | None:
    """The recording that the options of a reset have dealt again, if any; other keys are nobody's, and left alone."""
    if not isinstance(options, Mapping | None):
        raise ConfigError(f"options={shown(options)}: must be a dict or None")
    if not options or "deal" not in options:
        return None
    header = options["deal"]
    if not isinstance(header, Header):
        raise ConfigError(
            f"options: deal={shown(header)}: must be the header of a recording, as in GameRecord.load(PATH).header"
        )
    return header


def settings_of(
    config: GameConfig | Mapping[str, Any] | str | os.PathLike[str] | None, **given: int | None
) -> GameConfig:
    """The settings that ``config`` stands for, with what else is given (not None) in place of its own."""
    overrides = {name: value for name, value in given.items() if value is not None}
    if isinstance(config, Mapping):  # checked as a whole: neither need be valid without the other
        return GameConfig.load({**config, **overrides})
    return GameConfig.load(config).replace(**overrides)


class QuackBase:
    """Options, spaces and observations of one environment.

    Args:
        config: a `GameConfig`, a preset ("default", "published"), a YAML path, a mapping, or None for the defaults.
        game_map: a `GameMap`, a shipped map's name, a YAML path or a mapping; None for the config's.
        n_players, n_ducks, max_ticks: override the config's.
        speech: "tokens", "text" or "off".
        observation: "image+dict" (two images and named arrays), "dict" (named arrays), "vector" (one float32 array) or
            "text" (the vector and the words).
        image_size: pixels of each side of both images, or of (global map, local view); 64..4096. Below 200 pixels they
            are symbols for networks, from there on they have text.
        dead_agents: "noop" keeps the dead with zero observations and the mask {wait} until the end; "remove" terminates
            them at death (parallel form; the AEC form never selects the dead, whichever is chosen).
        render_mode: None, "human" (a window) or "rgb_array" (frames from `render`): the spectator's view.

    Raises:
        ConfigError: naming the option, its value and what is allowed.
        QuackError: render_mode "human" without a display.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - declared so by PettingZoo
        "name": "quack_v0",
        "render_modes": [*RENDER_MODES],
        "is_parallelizable": True,
        "render_fps": 4,
    }

    def __init__(
        self,
        config: GameConfig | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        game_map: GameMap | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        n_players: int | None = None,
        n_ducks: int | None = None,
        max_ticks: int | None = None,
        speech: str = "tokens",
        observation: str = "image+dict",
        image_size: int | tuple[int, int] = 64,
        dead_agents: str = "noop",
        render_mode: str | None = None,
        **others: Any,
    ) -> None:
        none_of(others, QuackBase)
        settings = settings_of(config, n_players=n_players, n_ducks=n_ducks, max_ticks=max_ticks)
        world_map = GameMap.load(settings.map if game_map is None else game_map)
        if one_of("speech", speech, SPEECH) == "text":
            check_words(world_map)
        self.game = Game(settings, world_map, speech)
        self.observation_mode = one_of("observation", observation, OBSERVATIONS)
        self.dead_agents = one_of("dead_agents", dead_agents, DEAD_AGENTS)
        self.render_mode = one_of("render_mode", render_mode, (None, *RENDER_MODES))
        self.image_size = image_size
        image_sizes(image_size)  # refused whether images are observed or not
        self._images: ImageEncoder | None = None
        world = self.game.world
        self.layout = Layout(world, scaled=observation not in ("dict", "image+dict"))
        self.possible_agents = [AGENT.format(i) for i in range(world.n)]
        self.agents: list[str] = []
        self.masks: dict[str, bytes] = {}
        """The mask of every agent's current observation, A bytes 0/1, shared with its action space."""
        self._action_spaces = {agent: self._action_space(agent) for agent in self.possible_agents}
        observed = self._observation_space()
        self._observation_spaces: dict[str, spaces.Dict] = dict.fromkeys(self.possible_agents, observed)
        self.state_space = spaces.Box(-1, max(2.0, float(self._state_size())), (self._state_size(),), np.float32)
        self._stage = new_stage(render_mode) if render_mode else None
        self._stream: int | None = None  # the last seed given; the seeds of later episodes follow from it
        self._episode = 0

    if not TYPE_CHECKING:  # called only for what is not there

        def __getattr__(self, name: str) -> Any:
            game = self.__dict__.get("game")
            if game is None or "state" in vars(game) or name.startswith("__"):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            lacks = "no game is dealt" if name.startswith("_") else f"{type(self).__name__} has no {name!r}"
            raise NotResetError(f"reset() has to be called first ({lacks} yet)")

    def _action_space(self, agent: str) -> spaces.Space[Any]:
        world = self.game.world
        action = MaskedDiscrete(world.A, self.masks, agent)
        if SPEECH[world.speech] == "text":
            return ActionWithText(action, self.game.config.max_say)
        return action

    def _observation_space(self) -> spaces.Dict:
        inner: spaces.Space[Any]
        if self.observation_mode == "dict":
            inner = self.layout.dict_space()
        elif self.observation_mode == "image+dict":
            inner = spaces.Dict({**image_spaces(self.image_size), "summary": self.layout.dict_space()})
        else:
            inner = self.layout.vector_space()
        parts: dict[str, spaces.Space[Any]] = {
            "observation": inner,
            "action_mask": spaces.Box(0, 1, (self.game.world.A,), np.int8),
        }
        if self.observation_mode == "text":
            parts["text"] = AnyText(MAX_SUMMARY)
        return spaces.Dict(parts)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """`Dict{"observation", "action_mask": int8 (A,)}`; "text" beside them in mode "text"."""
        return self._observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """`Discrete(A)`; with speech "text" `Dict{"action": Discrete(A), "say": Text}`, which takes a plain int too."""
        return self._action_spaces[self._known(agent)]

    def _known(self, agent: str) -> str:
        """The agent, where there is one of that name; otherwise a `ConfigError` that says which there are."""
        if not isinstance(agent, str) or agent not in self._action_spaces:
            raise ConfigError(f"no agent {shown(agent)}; agents are {', '.join(self.possible_agents)}")
        return agent

    # --- observing ---------------------------------------------------------------------------------------------------

    def _observe(self, view: View | None, mask: NDArray[np.int8]) -> dict[str, Any]:
        """The observation of a view; zeros for None (a dead agent)."""
        world, layout, mode = self.game.world, self.layout, self.observation_mode
        if mode == "vector":
            return {"observation": vector(world, layout, view), "action_mask": mask}
        if mode == "dict":
            return {"observation": named(world, layout, view), "action_mask": mask}
        if mode == "image+dict":
            pictures = self._draw(view)
            return {"observation": {**pictures, "summary": named(world, layout, view)}, "action_mask": mask}
        text = summary(self.game.briefing, view)[:MAX_SUMMARY] if view is not None else ""
        return {"observation": vector(world, layout, view), "action_mask": mask, "text": text}

    def _draw(self, view: View | None) -> dict[str, NDArray[np.uint8]]:
        """Both images of a view, drawn now; black for None (a dead agent)."""
        if self._images is None or self._images.briefing is not self.game.briefing:
            self._images = image_encoder(self.game.briefing, self.image_size)
        images = self._images
        if view is None:
            return {name: np.zeros((s, s, 3), np.uint8) for name, s in zip(IMAGES, images.sizes, strict=True)}
        return {"global_map": images.global_map(view), "local_view": images.local_view(view)}

    # --- acting ------------------------------------------------------------------------------------------------------

    def _parse(self, i: int, action: Any, mask: bytes | bytearray) -> tuple[int, str | None]:
        """(legal action number, what is said) of what an agent submitted; `IllegalActionError` when it is none."""
        say: str | None = None
        given = action
        if isinstance(action, dict):
            unknown = action.keys() - {"action", "say"}
            if unknown or "action" not in action:
                raise IllegalActionError(
                    f'{self.possible_agents[i]}: an action dict has "action" and may have "say", got {sorted(action)}'
                )
            say = self.game.clean_say(i, action.get("say"))
            given = action["action"]
        number = -1
        if not isinstance(given, bool):
            with suppress(TypeError):
                given = number = index(given)  # whole numbers of any kind, nothing else
        if not (0 <= number < len(mask) and mask[number]):
            raise self.game.refuse(i, given, mask)
        return number, say

    def _rewards(self) -> dict[str, float]:
        """Team rewards of a finished game: +1 to the winners, the dead too, -1 to the others."""
        state = self.game.state
        geese = 1.0 if state.winner == 1 else -1.0
        return {a: -geese if state.ducks >> i & 1 else geese for i, a in enumerate(self.possible_agents)}

    def _deal(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Deal the game that a reset asks for."""
        header = deal_of(options)
        if header is None:
            self.game.deal(self._new_seed(seed))
        else:
            deal(self.game, header)

    def _new_seed(self, seed: int | None) -> int:
        """The seed of the next episode: the given one, which also decides those that follow without one."""
        if seed is not None:
            if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
                raise ConfigError(f"seed={seed!r}: must be a whole number from 0, or None")
            self._stream, self._episode = int(seed), 0
            return self._stream
        if self._stream is None:
            self._stream = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        self._episode += 1
        follower = np.random.SeedSequence([self._stream, self._episode])
        return int(follower.generate_state(1, np.uint64)[0] >> 11)

    # --- the whole ---------------------------------------------------------------------------------------------------

    def _state_size(self) -> int:
        world = self.game.world
        return 12 + world.n * (world.n + world.R * 5 + 8)

    def state(self) -> NDArray[np.float32]:
        """The full state for a centralised critic, float32 (state_space): nothing of it is hidden.

        12 scalars (phase one-hot, tick, meeting, calls left, tasks left, round, by body, winner, speaker), then per
        seat: role, alive, ticks to arrival, cooldown, place in the turn order of this tick, vote + 1, body seen by how
        many, speaking place; who it knows to be dead (n); room, origin, destination, own unfinished tasks and
        where its body lies (R each, one-hot or flags).
        """
        world, state = self.game.world, self.game.state
        n, rooms = world.n, world.R
        out = array("f", bytes(4 * self._state_size()))
        out[state.phase] = 1
        out[4:12] = array(
            "f",
            (
                state.tick / world.max_ticks,
                state.meeting / 10,
                state.calls_left,
                state.tasks_left / max(1, n * world.k),
                state.round / world.rounds,
                state.by_body,
                state.winner,
                state.speaker / n,
            ),
        )
        far, width = max(world.weight), n + rooms * 5 + 8
        for i in range(n):
            row = 12 + i * width
            out[row] = state.ducks >> i & 1
            out[row + 1] = state.alive >> i & 1
            out[row + 2] = state.left[i] / far
            out[row + 3] = state.cooldown[i] / max(1, world.kill_cooldown)
            out[row + 4] = state.order.index(i) / n if i in state.order else 0
            out[row + 5] = (state.vote[i] + 1) / (n + 1)
            out[row + 6] = state.body_seen[i].bit_count() / n
            out[row + 7] = (state.speaking.index(i) + 1) / n if i in state.speaking else 0
            row += 8
            for j in range(n):
                out[row + j] = state.known_dead[i] >> j & 1
            row += n
            for block, place in enumerate((state.room[i], state.origin[i], state.dest[i], -1, state.body_room[i])):
                if place >= 0:
                    out[row + block * rooms + place] = 1
            for s in range(i * world.k, (i + 1) * world.k):
                if state.progress[s] < world.task_ticks:
                    out[row + 3 * rooms + state.task_room[s]] = 1 - state.progress[s] / world.task_ticks
        return np.frombuffer(out, np.float32)

    # --- the spectator's view ----------------------------------------------------------------------------------------

    def _begin_stage(self) -> None:
        """A game has been dealt or loaded."""
        if self._stage is not None:
            self._stage.begin(self.game)

    def render(self) -> NDArray[np.uint8] | None:
        """The spectator's view as uint8 (H, W, 3) with render_mode "rgb_array"; else None (the window shows itself)."""
        if self._stage is None or self.render_mode != "rgb_array":
            return None
        if "state" not in vars(self.game):
            raise NotResetError("reset() has to be called first (there is nothing to render yet)")
        return self._stage.frame()

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._stage is not None:
            self._stage.close()
