"""Plays the games of a suite, each into its folder; finished games are never played again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import yaml

import quack_env
from quack_agents import make_policy, play
from quack_bench.suite import Assignment, Suite
from quack_env import ConfigError, GameConfig
from quack_env.trajectory import FILE, Trajectory

FROZEN = "suite.yaml"
Progress = Callable[[int, int], None]


def run_suite(suite: Suite, out: Path, jobs: int = 1, progress: Progress | None = None) -> list[Path]:
    """Play what is missing of a suite below ``out``; the folders of all its games.

    Raises:
        ConfigError: where the folder belongs to another suite, or a policy is unknown.
    """
    for name in {*suite.geese, *suite.ducks}:
        make_policy(name)  # an unknown one is better found before the first game
    freeze(suite, out)
    games = suite.games()
    missing = [game for game in games if not is_finished(out / game.folder)]
    done = len(games) - len(missing)
    if progress:
        progress(done, len(games))
    for _ in played(suite, missing, out, jobs):
        done += 1
        if progress:
            progress(done, len(games))
    return [out / game.folder for game in games]


def played(suite: Suite, missing: list[Assignment], out: Path, jobs: int) -> Iterator[Assignment]:
    """Plays the missing games, one after the other or in processes; yields at every finished one."""
    if jobs <= 1:
        for game in missing:
            play_game(suite, game, out / game.folder)
            yield game
        return
    with ProcessPoolExecutor(jobs) as pool:
        futures = {pool.submit(play_game, suite, game, out / game.folder): game for game in missing}
        try:
            for future in as_completed(futures):
                future.result()
                yield futures[future]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def play_game(suite: Suite, game: Assignment, folder: Path) -> None:
    """Play one game of a suite into its folder, in place of an unfinished attempt."""
    if (folder / FILE).exists():
        shutil.rmtree(folder)
    record_game(
        GameConfig.from_dict(suite.config),
        suite.speech,
        game.seed,
        folder,
        lambda role: game.duck if role else game.goose,
    )


def record_game(
    config: GameConfig,
    speech: str,
    seed: int,
    folder: str | os.PathLike[str],
    policy_of: Callable[[bool], str],
    seats: dict[str, str] | None = None,
    game_map: Any = None,
    listener: Any = None,
    render_mode: str | None = None,
    save_images: bool = False,
) -> quack_env.Outcome:
    """Play and record one game; ``policy_of(is_duck)`` names the policy of a role, ``seats`` that of single agents."""
    inner = quack_env.env(
        config=config, game_map=game_map, speech=speech, observation="vector", render_mode=render_mode
    )
    inner.reset(seed=seed)
    ducks = inner.unwrapped.game.state.ducks  # type: ignore[attr-defined]
    names = {agent: policy_of(bool(ducks >> i & 1)) for i, agent in enumerate(inner.possible_agents)} | (seats or {})
    env = quack_env.RecordTrajectory(inner, folder, policies=names)
    env.recorder.listener = listener
    env.recorder.save_images = save_images
    try:
        return play(env, {agent: make_policy(name) for agent, name in names.items()}, seed=seed)
    finally:
        env.close()


def is_finished(folder: Path) -> bool:
    """Whether a folder holds a finished game."""
    if not (folder / FILE).exists():
        return False
    try:
        return Trajectory.load(folder).outcome is not None
    except quack_env.TrajectoryError:
        return False


def freeze(suite: Suite, out: Path) -> None:
    """Write the suite into its run, or check that the run is one of this suite."""
    text = yaml.safe_dump(suite.model_dump(), sort_keys=False, allow_unicode=True)
    file = out / FROZEN
    if file.exists():
        if file.read_text("utf-8") != text:
            raise ConfigError(f"{out}: holds a run of another suite (see {FROZEN}); choose another --out")
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    except OSError as fault:
        raise ConfigError(f"{out}: cannot be written ({fault.strerror})") from None
