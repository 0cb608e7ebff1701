"""Situations: what a file may say, what happens on the stage, and who is asked what when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from quack_agents import ScriptedPolicy
from quack_agents.bayesian import BayesianPolicy
from quack_agents.situations import SituationError, check, load_situation, perform, shipped
from quack_agents.situations.reading import parse
from quack_env import ConfigError, GameMap, GameRecord
from quack_env.beliefs import BeliefStore
from quack_env.replay import check as replay_check

SMALL = """
config: {kill_cooldown: 1, discussion_rounds: 1, n_tasks: 1}
players:
  Alice: {role: goose, spawn: medbay, tasks: [storage]}
  Bob:   {role: duck, spawn: electrical, tasks: [storage]}
  Cleo:  {role: goose, spawn: electrical, tasks: [storage]}
  Dan:   {role: goose, spawn: medbay, tasks: [storage]}
tested: [Alice]
script:
  - roam:
      Alice: [wait, move(electrical), report]
      Bob: [kill(Cleo), move(medbay)]
  - probe: T0
  - Alice: saw(Cleo, electrical)
  - Bob: suspect(Dan)
  - Dan: suspect(Bob)
  - probe: T1
  - vote: {Bob: Dan, Dan: Bob}
mirrors:
  other_order: {order: [Bob, Dan]}
  other_parts: {parts: [Bob, Dan]}
"""


def changed(old: str, new: str) -> str:
    """The text above with a part of it replaced."""
    assert SMALL.count(old) == 1
    return SMALL.replace(old, new)


@pytest.mark.parametrize("name", list(shipped()))
def test_every_shipped_situation_and_both_its_controls_can_be_played(name: str) -> None:
    situation = load_situation(name)
    assert check(situation) > 0
    assert {mirror.kind for mirror in situation.mirrors.values()} == {"order", "parts"}
    assert "duck" in {part.role for part in situation.parts} and situation.about


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("kill(Cleo)", "kill(Alice)", r"line 12: Bob: kill\(Alice\) is not legal: cooldown 0, in electrical with Cleo"),
        ("Bob: [kill", "Bob: [move(oxygen), kill", "line 12: Bob: move.oxygen. .*no corridor leads from electrical"),
        ("[wait, move", "[do_task, move", "line 11: Alice: do_task.. is not legal: no unfinished task .* medbay"),
        ("move(electrical), report", "report", "line 11: Alice: report.. is not legal: no body lies in medbay"),
        ("move(electrical), report]", "move(electrical), report, wait]", r"line 11: Alice: wait\(\) is never reached"),
        ("- Bob: suspect(Dan)", "- Dan: nothing", "line 15: Dan has not the word: it is Bob's turn"),
        ("  - Dan: suspect(Bob)\n", "", "line 17: no vote yet: it is Dan's turn to speak"),
        ("saw(Cleo, electrical)", "saw(Cleo, attic)", "line 14: Alice: saw.*'attic' is unknown .must be one of "),
        ("saw(Cleo, electrical)", "shout(Cleo)", "line 14: Alice: .*must be one of was_in"),
        ("tested: [Alice]", "tested: [Zoe]", "line 8: tested: 'Zoe': must be one of Alice, Bob, Cleo, Dan"),
        ("role: duck", "role: goat", "line 5: Bob: role: 'goat': must be one of goose, duck"),
        ("{kill_cooldown: 1,", "{kill_cooldown: x,", "line 2: kill_cooldown='x'"),
        ("{kill_cooldown: 1,", "{n_ducks: 2,", "line 2: config: n_ducks follows from the players"),
        ("- probe: T1", "- probe: T0", "line 17: probe: T0: this moment has been named before"),
        ("- probe: T1", "- probe: 1", "line 17: probe: 1: must be the name of the moment"),
        ("- probe: T1", '- probe: ""', "line 17: probe: '': must be the name of the moment"),
        ("[wait, move", "[move(medbai), move", r"line 11: .*mean 'move.medbay.'\?.; must be one of move.oxygen., move"),
        ("[wait, move", "[hop, move", r"line 11: Alice: hop\(\): no such action .*must be one of wait, move, do_task"),
        ("- probe: T1", "- prob: T1", "line 17: script: 'prob': must be one of roam, probe, vote, others, Alice, Bob"),
        ("order: [Bob, Dan]", "order: [Bob, Bob]", "line 20: mirrors.other_order.order: must be two players"),
        ("vote: {Bob: Dan, ", "vote: {Bob: Cleo, ", "line 18: Bob: vote.Cleo. is not legal: Cleo is dead"),
        ("mirrors:", "mirrors: 3\nx:", "unknown field 'x'"),
    ],
)
def test_a_wrong_step_is_named_by_line_and_reason(old: str, new: str, told: str) -> None:
    with pytest.raises(SituationError, match=f"^small.yaml, {told}" if told.startswith("line") else told):
        check(parse(changed(old, new), "small.yaml", "small"))


def test_what_comes_after_the_end_of_the_game_is_named() -> None:
    text = changed("vote: {Bob: Dan, ", "vote: {Alice: Bob, Bob: Dan, ").replace("mirrors:", "  - probe: T2\nmirrors:")
    with pytest.raises(SituationError, match=r"line 19: the game is over before this \(.*ducks ejected"):
        check(parse(text, "small.yaml", "small"))


def test_an_order_control_differs_in_the_turns_of_two_speakers_only() -> None:
    base, order, _ = parse(SMALL, "small.yaml", "small").variants
    assert base.parts == order.parts and order.id == "small+other_order"
    spoken = [[(e.deed.who, e.deed.action) for e in s.entries if hasattr(e, "deed")] for s in (base, order)]
    assert spoken[0] == [("Alice", "saw(Cleo, electrical)"), ("Bob", "suspect(Dan)"), ("Dan", "suspect(Bob)")]
    assert spoken[1] == [("Alice", "saw(Cleo, electrical)"), ("Dan", "suspect(Bob)"), ("Bob", "suspect(Dan)")]


def test_a_parts_control_has_the_other_player_as_the_duck_doing_the_same() -> None:
    *_, parts = parse(SMALL, "small.yaml", "small").variants
    assert [part.role for part in parts.parts] == ["goose", "goose", "goose", "duck"]
    assert parts.names == ("Alice", "Bob", "Cleo", "Dan")
    roam = parts.entries[0]
    assert [deed.action for deed in roam.deeds["Dan"]] == ["kill(Cleo)", "move(medbay)"]  # type: ignore[union-attr]


@pytest.mark.parametrize("speech", ["tokens", "text"])
def test_a_performance_follows_the_script_asks_at_the_moments_and_can_be_replayed(speech: str, tmp_path: Path) -> None:
    situation = parse(SMALL, "small.yaml", "small")
    store = BeliefStore(tmp_path / "run.sqlite")
    policies = {"Alice": BayesianPolicy()}
    perform(situation, policies, 3, folder=tmp_path / "game", speech=speech, store=store, labels={"Alice": "bayesian"})
    game = GameRecord.load(tmp_path / "game")
    assert [seat.policy for seat in game.header.seats] == ["bayesian", "script", "script", "script"]
    assert [seat.spawn for seat in game.header.seats] == ["medbay", "electrical", "electrical", "medbay"]
    said = [(game.names[event.actor or 0], event.text) for event in game.events if event.kind == "statement"]
    assert [name for name, _ in said] == ["Alice", "Bob", "Dan"]
    assert "Dan" in str(said[1][1]) and "electrical" in str(said[0][1])
    assert replay_check(game).ok
    rows = list(store.read())
    assert {(row.observer, row.moment) for row in rows} == {("player_0", "T0"), ("player_0", "T1")}
    # Dan was with her at the kill, and so it was Bob: what they say changes nothing.
    assert {row.p_duck for row in rows if row.target == "player_1"} == {1.0}
    votes = {game.names[event.actor or 0]: event.target for event in game.events if event.kind == "vote"}
    assert votes == {"Alice": 1, "Bob": 3, "Dan": 1}


def test_the_same_performance_is_the_same_every_time_and_the_script_holds_for_every_seed(tmp_path: Path) -> None:
    situation = parse(SMALL, "small.yaml", "small")
    for number, seed in enumerate((5, 5, 6)):
        perform(situation, {"Alice": ScriptedPolicy()}, seed, folder=tmp_path / str(number), goes_on=True)
    first, again, other = (GameRecord.load(tmp_path / str(number)) for number in range(3))
    assert first.events == again.events
    length = next(event.index for event in first.events if event.kind == "vote")
    assert first.events[:length] == other.events[:length]


def test_after_the_script_the_others_play_on_where_they_are_told_to(tmp_path: Path) -> None:
    text = changed("vote: {Bob: Dan, Dan: Bob}", "vote: {Alice: skip}").replace(
        "cooldown: 1", "cooldown: 1, max_ticks: 30"
    )
    situation = parse(text, "small.yaml", "small")
    policies: dict[str, Any] = {name: ScriptedPolicy() for name in situation.names}
    stopped = perform(situation, policies, folder=tmp_path / "a")
    ended = perform(
        situation, {name: ScriptedPolicy() for name in situation.names}, folder=tmp_path / "b", goes_on=True
    )
    assert stopped is None and ended is not None
    assert GameRecord.load(tmp_path / "b").outcome == ended
    assert GameRecord.load(tmp_path / "a").outcome is None


def test_a_free_decision_that_leads_away_from_the_script_is_named(tmp_path: Path) -> None:
    class Walker(ScriptedPolicy):
        def __call__(self, observation: Any, info: Any) -> Any:
            return info["briefing"].action("move(upper_engine)")

        def watch(self, observation: Any, info: Any, action: Any) -> None:
            pass

    situation = parse(changed("[wait, move(electrical), report]", "[free, move(electrical), report]"), "s.yaml", "s")
    with pytest.raises(SituationError, match=r"^s\.yaml, line 11: Alice: move.electrical. is not legal"):
        perform(situation, {"Alice": Walker()})


def test_whoever_is_under_test_needs_a_policy() -> None:
    with pytest.raises(ConfigError, match="no policy for Alice, who is under test"):
        perform(parse(SMALL, "small.yaml", "small"), {"Bob": ScriptedPolicy()})


def test_a_scripted_player_remembers_what_the_script_made_it_do() -> None:
    situation = parse(SMALL.replace("tested: [Alice]", "tested: [Bob]"), "small.yaml", "small")
    duck = ScriptedPolicy()
    perform(situation, {"Bob": duck})
    mind: Any = duck._mind
    assert [(kill.victim, kill.tick) for kill in mind.kills] == [(2, 1)]
    assert [said.kind for said in mind.uttered] == ["suspect"]


def test_an_unknown_situation_is_named_with_those_there_are() -> None:
    with pytest.raises(SituationError, match=r"no such file, and none that is shipped .bandwagon, counter_accusation"):
        load_situation("no_such")
    with pytest.raises(SituationError, match="no mirror 'x'; it has order_swapped, roles_swapped"):
        load_situation("bandwagon+x")


def test_chance_has_what_comes_after_the_script(tmp_path: Path) -> None:
    text = changed("vote: {Bob: Dan, Dan: Bob}", "vote: {Alice: skip, Bob: skip, Dan: skip}")
    situation = parse(text, "small.yaml", "small")
    perform(situation, {"Alice": ScriptedPolicy()}, 4, folder=tmp_path / "game", goes_on=True)
    given = GameRecord.load(tmp_path / "game").header.given
    assert given is not None
    # It reaches to the call in tick 3, and has one meeting and one leg.
    assert list(given["turn_order"]) == ["1", "2", "3"]
    assert list(given["speaking_order"]) == list(given["places"]) == ["0"]


def test_the_map_of_a_situation_is_looked_for_beside_its_file(tmp_path: Path) -> None:
    own = GameMap.load("ship").to_dict() | {"name": "mine"}
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(own))
    (tmp_path / "case.yaml").write_text("map: mine.yaml\n" + SMALL)
    assert load_situation(tmp_path / "case.yaml").game_map.name == "mine"
