"""The standard loop, with policies in the seats: for one thread, or asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from quack_agents.llm import LOOP, BudgetError, ModelError
from quack_env.aec import QuackAEC
from quack_env.chance import policy_seed
from quack_env.errors import ConfigError, IllegalActionError, QuackError
from quack_env.outcome import Outcome
from quack_env.policies import Policy

if TYPE_CHECKING:
    from quack_agents.probe import GameProbe

OnStep = Callable[[str, Any], None]


def play(
    env: Any,
    policies: Mapping[str, Policy],
    seed: int | None = None,
    on_step: OnStep | None = None,
    probe: GameProbe | None = None,
) -> Outcome:
    """Play one game and say how it ended.

    Every policy with a ``reset`` is reset first, with a seed drawn from the game's key and its seat. Those with an
    asynchronous ``act`` are awaited, at once where several agents decide independently (a vote).
    What a policy raises passes through: the game is then unfinished, and not scored. A provider's failure is recorded
    as `infra_failure`.

    Args:
        env: an AEC environment of QUACK, in any PettingZoo wrapper.
        policies: a policy for every agent.
        seed: of the game; None for the environment's next one.
        on_step: called with agent and action after every step.
        probe: asks the policies what they believe, right before decisions.

    Raises:
        ConfigError: where the environment is of another form, an agent has no policy, two share one that keeps a
            memory, or one cannot play such games; nothing is recorded then.
    """
    table = _Table(env, policies, seed, probe)
    with table.recorded():
        waits, result = table.game_to_the_end(on_step), None
        while (wait := _next(waits, result)) is not None:
            result = LOOP.run(wait)
    return table.outcome


async def play_async(
    env: Any,
    policies: Mapping[str, Policy],
    seed: int | None = None,
    on_step: OnStep | None = None,
    probe: GameProbe | None = None,
) -> Outcome:
    """As `play`, on the running event loop, so that many games can go on at once; sync policies are called in it."""
    table = _Table(env, policies, seed, probe)
    with table.recorded():
        waits, result = table.game_to_the_end(on_step), None
        while (wait := _next(waits, result)) is not None:
            result = await wait
    return table.outcome


Wait = Coroutine[Any, Any, Any]
Waits = Generator[Wait, Any, None]
"""A game that stops wherever something is to be awaited, and is sent what came of it."""


def _next(waits: Waits, result: Any) -> Wait | None:
    """What the game waits for next, None when it is over."""
    try:
        return waits.send(result)
    except StopIteration:
        return None


async def _together(asks: Mapping[str, Coroutine[Any, Any, Any]]) -> dict[str, Any]:
    """All decisions, awaited at once; where one fails, the others have ended: cancelled, or, paid already, finished."""
    tasks = {agent: asyncio.ensure_future(ask) for agent, ask in asks.items()}
    try:
        await asyncio.gather(*tasks.values())
    except BaseException as fault:
        if not isinstance(fault, BudgetError):
            for task in tasks.values():
                task.cancel()
        ended = await asyncio.gather(*tasks.values(), return_exceptions=True)
        if isinstance(fault, ModelError | BudgetError):  # what the others' calls took is recorded too
            done = [notes for action in ended if (notes := getattr(action, "notes", None)) is not None]
            fault.calls = [call for notes in done for call in notes.calls] + list(fault.calls)
        raise
    return {agent: task.result() for agent, task in tasks.items()}


def play_many(games: Iterable[Callable[[], Any]], jobs: int = 8) -> list[Any]:
    """The results of games, ``jobs`` of them at once in threads; models' calls share one event loop and its limits.

    Where one raises, those that have not begun are not begun; its error is raised when the others have ended.

    Raises:
        ConfigError: where ``jobs`` is not a whole number from 1.
    """
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ConfigError(f"jobs={jobs!r}: must be a whole number from 1")
    with ThreadPoolExecutor(jobs, thread_name_prefix="quack-game") as pool:
        futures = [pool.submit(game) for game in games]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


class _Table:
    """One game and the policies at it."""

    def __init__(self, env: Any, policies: Mapping[str, Policy], seed: int | None, probe: GameProbe | None) -> None:
        self.env = env
        self.policies = policies
        self.probe = probe
        if not isinstance(getattr(env, "unwrapped", None), QuackAEC):
            raise ConfigError(f"env: must be an AEC environment, as quack_env.env() makes it, not {_kind(env)}")
        self.seats = {agent: number for number, agent in enumerate(env.possible_agents)}
        _check(policies, self.seats)
        self.game = env.unwrapped.game
        for agent, policy in policies.items():
            if hasattr(policy, "check_game"):
                with self.noted(agent):
                    policy.check_game(self.game.world, self.game.game_map)
        env.reset(seed=seed)
        self.concurrent = {agent for agent in self.seats if hasattr(policies[agent], "act")}
        for agent, seat in self.seats.items():
            if hasattr(policies[agent], "reset"):
                with self.noted(agent):
                    policies[agent].reset(env.infos[agent], seed=policy_seed(self.game.seed, seat, self.game.fork))  # type: ignore[attr-defined]
        if probe is not None:
            probe.begin(env, policies)

    @property
    def outcome(self) -> Outcome:
        """How it ended."""
        outcome: Outcome = self.game.outcome
        return outcome

    def game_to_the_end(self, on_step: OnStep | None) -> Waits:
        """All decisions, one after the other; yields what is to be awaited."""
        asked: dict[str, Any] = {}
        for agent in self.env.agent_iter():
            if self.game.over:
                self.env.step(None)
                continue
            if self.probe is not None and (probing := self.probe.due()) is not None:
                yield probing
            if not asked and (asks := self.independent()):
                asked = yield _together(asks)
            action = asked.pop(agent) if agent in asked else (yield from self.decision(agent))
            self.step(agent, action)
            if on_step is not None:
                on_step(agent, action)

    def step(self, agent: str, action: Any) -> None:
        """Carry out a decision; where it is not legal, the recording's name of the policy is told too."""
        try:
            self.env.step(action)
        except IllegalActionError as fault:
            name = self.name_of(agent)
            if name is None:
                raise
            raise IllegalActionError(f"policy {name!r}: {fault}") from fault

    def independent(self) -> dict[str, Wait]:
        """What is to be awaited of the agents that decide independently right now, where there are several."""
        if not self.concurrent:
            return {}
        inner = self.env.unwrapped
        agents = [agent for agent in inner.concurrent_agents() if agent in self.concurrent]
        if len(agents) < 2:
            return {}
        return {agent: self.act(agent, *inner.decision_of(agent)) for agent in agents}

    def decision(self, agent: str) -> Generator[Wait, Any, Any]:
        """The decision of the selected agent."""
        observation, _, _, _, info = self.env.last()
        if agent in self.concurrent:
            action = yield self.act(agent, observation, info)
            return action
        try:
            return self.policies[agent](observation, info)
        except Exception as fault:
            self.note(agent, fault)
            raise

    async def act(self, agent: str, observation: Any, info: Any) -> Any:
        """The decision of a policy that is awaited."""
        try:
            return await self.policies[agent].act(observation, info)  # type: ignore[attr-defined]
        except Exception as fault:
            self.note(agent, fault)
            raise

    def name_of(self, agent: str) -> str | None:
        """What the recording calls an agent's policy; None where it has no name for it."""
        recorder = getattr(self.env, "recorder", None)
        return None if recorder is None else recorder.policies.get(agent)

    def note(self, agent: str, fault: Exception) -> None:
        """Add the name of its policy to what it raised, but for errors that say it themselves."""
        name = self.name_of(agent)
        if name is not None and not isinstance(fault, QuackError):
            fault.add_note(f"policy {name!r}")

    @contextmanager
    def noted(self, agent: str) -> Iterator[None]:
        """Around what a policy does once a game: `note` is taken of what it raises."""
        try:
            yield
        except Exception as fault:
            self.note(agent, fault)
            raise

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """A failure of a provider is entered in the recording, if there is one."""
        try:
            yield
        except (ModelError, BudgetError) as fault:
            recorder = getattr(self.env, "recorder", None)
            if recorder is not None:
                recorder.calls(fault.calls, fault.images)
                if isinstance(fault, ModelError):
                    recorder.fail(str(fault))
            raise


def _kind(value: Any) -> str:
    """What a value is, for messages."""
    if value is None:
        return "None"
    return f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"


def _maker(value: Any) -> str:
    """What makes the policy that was meant by a value which is none."""
    if isinstance(value, type):
        return f"{value.__name__}()"
    return f"make_policy({value!r})" if isinstance(value, str) else "make_policy(NAME)"


def _check(policies: Mapping[str, Policy], seats: Mapping[str, int]) -> None:
    """Every agent has a policy, and those with a memory have it for themselves."""
    if not isinstance(policies, Mapping):
        raise ConfigError(f"policies: must be a dict with one for every agent, not {_kind(policies)}")
    missing = [agent for agent in seats if agent not in policies]
    unknown = [agent for agent in policies if agent not in seats]
    if missing or unknown:
        wrong = f"no policy for {', '.join(missing)}" if missing else f"no agent {', '.join(unknown)}"
        raise ConfigError(f"policies: {wrong}; the agents are {', '.join(seats)}")
    owners: dict[int, str] = {}
    for agent in seats:
        if isinstance(policies[agent], type) or not callable(policies[agent]):
            given = policies[agent]
            told = f"{agent} has {_kind(given)}; it must have a policy, as {_maker(given)} makes it"
            raise ConfigError(f"policies: {told}")
        other = owners.setdefault(id(policies[agent]), agent)
        if other != agent and hasattr(policies[agent], "reset"):
            raise ConfigError(f"policies: {other} and {agent} share one policy object; each needs its own")
