"""Suites: what settings and games they stand for, and that wrong ones say what is wrong and what is allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from quack_bench.runner import frozen, opened
from quack_bench.suite import Game, Setting, Suite, built_in, dressed, slug
from quack_env import ConfigError

from .conftest import load_suite

PAIR: dict[str, Any] = {"geese": ["scripted"], "ducks": ["random"], "seeds": 2}
NAMED: dict[str, Any] = {"name": "a", "geese": "random", "ducks": "random"}


def suite(**fields: Any) -> Suite:
    return Suite.model_validate({**PAIR, **fields})


def names(settings: list[Setting]) -> list[str]:
    return [setting.name for setting in settings]


def test_every_goose_policy_meets_every_duck_policy_on_every_seed() -> None:
    games = suite(geese=["scripted", "random"], ducks=["random", "scripted"], seeds=[3, 5]).games()
    played = [(game.setting.goose, game.setting.duck, game.seed) for game in games]
    pairs = [("scripted", "random"), ("scripted", "scripted"), ("random", "random"), ("random", "scripted")]
    assert played == [(goose, duck, seed) for seed in (3, 5) for goose, duck in pairs]


def test_the_paper_suite_is_nine_settings_of_thirty_shared_seeds() -> None:
    games = load_suite("paper").games()
    settings = {game.setting.name: (game.setting.goose, game.setting.duck) for game in games}
    assert len(games) == 270 and len(settings) == 9
    assert sum(goose == duck for goose, duck in settings.values()) == 3
    assert {game.seed for game in games} == set(range(30))
    assert {game.setting.config.n_players for game in games} == {6}


def test_models_of_the_command_line_take_the_place_of_the_suites() -> None:
    pair = load_suite("paper", "openai/a", "openai/b", seeds=2)
    goose = {game.setting.goose.partition("?")[0] for game in pair.games()}
    assert len(pair.games()) == 8 and goose == {"openai/a", "openai/b"}


def test_models_are_refused_where_the_suite_has_no_place_for_them() -> None:
    with pytest.raises(ConfigError, match="demo: --model has no place"):
        load_suite("demo", "openai/a")


def test_the_ablation_shows_the_same_games_in_three_modalities() -> None:
    settings = load_suite("ablation").expand()
    assert [setting.arm for setting in settings] == ["image+text", "image", "text"]
    assert [setting.goose.partition("modality=")[2] for setting in settings] == ["image+text", "image", "text"]
    assert len({setting.base for setting in settings}) == 1


def test_every_built_in_suite_is_valid() -> None:
    assert set(built_in()) >= {"demo", "quick", "paper", "ablation", "scale"}
    for name in built_in():
        assert load_suite(name).games()


def test_an_arm_changes_what_it_names_and_leaves_the_rest() -> None:
    arms = {"big": {"config": {"n_players": 8}, "map": "large"}, "plain": {}}
    big, plain = suite(config={"max_ticks": 9}, speech="off", arms=arms).expand()
    assert (big.config.n_players, big.config.max_ticks, big.game_map.name) == (8, 9, "large")
    assert (plain.config.n_players, plain.config.max_ticks, plain.game_map.name) == (6, 9, "ship")
    assert big.speech == plain.speech == "off"
    assert names([big, plain]) == ["scripted x random @ big", "scripted x random @ plain"]


def test_a_named_setting_may_fill_single_seats() -> None:
    named = {"name": "one spy", "geese": "scripted", "ducks": "scripted", "seats": {2: "random"}}
    (setting,) = Suite.model_validate({"settings": [named], "seeds": 1}).expand()
    assert setting.name == "one spy" and setting.folder == "one-spy"
    assert setting.seats == {"player_2": "random"} and setting.policies == ["scripted", "random"]


def test_one_policy_may_stand_in_a_list_or_without_one_everywhere() -> None:
    (pair,) = suite(geese="scripted", ducks=["random"]).expand()
    named = {"name": "a", "geese": ["scripted"], "ducks": "random"}
    (setting,) = Suite.model_validate({"settings": [named], "seeds": 1}).expand()
    assert (pair.goose, pair.duck) == (setting.goose, setting.duck) == ("scripted", "random")


def test_off_needs_no_quotes() -> None:
    assert suite(**yaml.safe_load("speech: off")).expand()[0].speech == "off"


def test_placeholders_stand_for_the_suites_models() -> None:
    named = {"name": "mixed", "geese": "$2", "ducks": "$1"}
    (setting,) = Suite.model_validate({"settings": [named], "models": ["openai/a", "openai/b"], "seeds": 1}).expand()
    assert (setting.goose, setting.duck) == ("openai/b", "openai/a")


@pytest.mark.parametrize(
    ("policy", "modality", "persona", "want"),
    [
        ("scripted", "text", "aggressive", "scripted:aggressive"),
        ("scripted", None, "default", "scripted"),
        ("random", "text", None, "random"),
        ("openai/a", "image+text", None, "openai/a?modality=image+text"),
        ("openai/a?temperature=0", "text", "quiet", "openai/a?temperature=0&modality=text&persona=quiet"),
        ("openai/a?modality=image", "text", "You are loud.", "openai/a?modality=image&persona=You%20are%20loud."),
    ],
)
def test_modality_and_persona_become_part_of_the_policys_name(
    policy: str, modality: str | None, persona: str | None, want: str
) -> None:
    assert dressed(policy, modality, persona) == want


def test_personas_can_be_given_by_team() -> None:
    (setting,) = suite(ducks=["scripted"], persona={"ducks": "aggressive"}).expand()
    assert (setting.goose, setting.duck) == ("scripted", "scripted:aggressive")


def test_games_of_models_are_repeated_and_scripted_ones_are_not() -> None:
    both = suite(geese=["scripted", "openai/a"], seeds=1, repetitions=3).games()
    assert [(game.setting.goose, game.id.rpartition("/")[2]) for game in both] == [
        ("scripted", "seed-000"),
        *(("openai/a", f"rep-{k}") for k in range(3)),
    ]


def test_folders_are_plain_short_and_different() -> None:
    keyed = "openai/m?modality=text&api_base=http://127.0.0.1:80/v1"
    assert slug(f"{keyed} x scripted:cautious @ big ship") == "openai-m-modality-text__scripted-cautious__big-ship"
    assert len(slug("x" * 400)) <= 100
    settings = suite(geese=["openai/a b", "openai/a-b"]).expand()
    assert len({setting.folder for setting in settings}) == 2


def test_a_game_is_named_by_setting_seed_and_repetition() -> None:
    (setting,) = suite().expand()
    assert Game(setting, 7).id == "scripted__random/seed-007"


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"seeds": 0}, "seeds=0: must be a number from 1"),
    ({"seeds": -3}, "seeds=-3: must be a number from 1"),
    ({"seeds": [4, 1, 1]}, "seeds: 1 stands there twice"),
    ({"geese": ["scripted", "random", "scripted"]}, "geese: 'scripted' stands there twice"),
    ({"ducks": ["random", "random"]}, "ducks: 'random' stands there twice"),
    ({"settings": [NAMED, NAMED]}, "two settings are called 'a'"),
    ({"seeds": [1, -2]}, "seeds=[1, -2]: must be a number from 1"),
    ({"seeds": "many"}, "seeds='many': must be a number from 1"),
    ({"geese": 3}, "geese=3: must be a list of policies, or `models`"),
    ({"geese": "models"}, "models is missing: must be a list of models, as PROVIDER/NAME, or given as --model"),
    ({"geese": []}, "geese and ducks: must be a list of policies, or `models`; both are due, or settings"),
    ({"geese": [], "ducks": []}, "geese and ducks: must be a list of policies"),
    ({"seets": 3}, "unknown field 'seets' (did you mean 'seeds'?); allowed: config, map"),
    ({"speech": "sung"}, "speech='sung': must be off, tokens or text"),
    ({"modality": "smell"}, "modality='smell': must be image+text, image or text"),
    ({"persona": {"dogs": "quiet"}}, "persona"),
    ({"persona": "fierce", "ducks": ["scripted"]}, "persona='fierce': scripted takes only default, aggressive, caut"),
    ({"arms": {"a": {"persona": "quiet"}}}, "arm a: persona='quiet': scripted, of the geese, takes only default, agg"),
    ({"geese": ["openai/a"], "persona": "quiet"}, "random, of the ducks, takes none (scripted policies and models do)"),
    ({"geese": ["openai/a"], "persona": "quiet"}, "; to leave the ducks out: persona: {geese: quiet}"),
    ({"geese": ["scripted:cautious"], "persona": {"geese": "default"}}, "takes none beside that in its name"),
    ({"geese": ["openai/a?persona=quiet"], "persona": {"geese": "loud"}}, "takes none beside that in its name"),
    ({"geese": ["rl:goose"], "persona": {"geese": "cautious"}}, "persona='cautious': rl:goose, of the geese, takes no"),
    ({"factors": {"persna": ["default", "cautious"]}}, "entry as probes.mode (did you mean 'persona'?)"),
    ({"max_usd": float("inf")}, "max_usd=inf: must be a number of US dollars above 0"),
    ({"fractions": 2}, "unknown field 'fractions' (did you mean 'fraction'?); allowed: config, map"),
    ({"script": "a", "files": {"a": "x"}}, "files.a: must have the text of a situation, and its map"),
    ({"repetitions": 0}, "repetitions=0: must be a number from 1 to 1000"),
    ({"max_usd": -1}, "max_usd=-1: must be a number of US dollars above 0"),
    ({"config": {"n_players": 2}}, "scripted x random: n_players=2"),
    ({"map": "nowhere"}, "scripted x random: "),
    ({"arms": {"big": {"sise": 3}}}, "unknown field 'arms.big.sise'; allowed: config, map"),
    ({"arms": {"big": {"config": {"n_ducks": 9}}}}, "scripted x random, arm big: n_ducks=9"),
    ({"settings": [NAMED | {"geese": "models"}]}, "policy='models': a setting takes one policy; $1, $2"),
    ({"settings": [NAMED | {"geese": ["random", "scripted"]}]}, "must be a policy; $1, $2"),
    ({"settings": [{"name": "a", "goose": "random", "ducks": "random"}]}, "unknown field 'settings.0.goose' (did you"),
    ({"settings": [{"name": "a", "geese": "scripted"}]}, "settings.0.ducks is missing: must be a policy"),
    ({"settings": [{"name": "a/b", "geese": "random", "ducks": "random"}]}, "settings.0.name='a/b': must be letters"),
    ({"settings": [{"name": "a", "geese": "random", "ducks": "random", "seats": {9: "random"}}]}, "seats=9: must be"),
    ({"settings": [NAMED | {"geese": "$2"}], "models": ["openai/a"]}, "policy='$2'"),
    ({"geese": ["nobody"]}, "policy='nobody': unknown; known are"),
    ({"geese": ["human"]}, "policy='human': suites are played without people"),
    ({"ducks": ["rl:duck"], "config": {"n_players": 4}}, "scripted x rl:duck: policy='rl:duck': was trained for n_"),
    ({"ducks": ["rl:duck"], "speech": "off"}, "was trained for speech 'tokens', not 'off'"),
    ({"config": {"n_tasks": 30}}, "scripted x random: n_tasks=30"),
    ({"probes": {"triggers": ["at noon"]}}, "triggers"),
    ({"probes": 3}, "probes=3: must be a mapping"),
    ({"extractor": "magic"}, "extractor='magic': must be recorded, grammar, or a model"),
    ({"extractor": "openai/"}, "extractor: model='openai/': must be provider/model"),
    ({"extractor": "opnai/a"}, "extractor: model='opnai/a': did you mean openai/a?"),
    ({"extractor": "openai/a?temperatur=0"}, "unknown option 'temperatur' (did you mean 'temperature'?)"),
]


@pytest.mark.parametrize(("fields", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_suite_says_file_field_value_and_what_is_allowed(
    tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(yaml.safe_dump({**PAIR, **fields}))
    with pytest.raises(ConfigError) as fault:
        load_suite(str(file))
    assert message in str(fault.value)
    assert str(fault.value).startswith(str(file)) and "\n" not in str(fault.value)
    assert "pydantic" not in str(fault.value).lower() and "Input should" not in str(fault.value)


# --- maps in files ---------------------------------------------------------------------------------------------------

MAP = {
    "rooms": {"bridge": [0, 0], "galley": [2, 0]},
    "corridors": [["bridge", "galley", 1]],
    "tasks": {"galley": "Wash Up"},
    "button": "bridge",
}
GAME = {"n_players": 4, "n_tasks": 1, "max_ticks": 5}


def with_map(folder: Path, ticks: int = 1, **fields: Any) -> Path:
    """A suite on a map of its own, whose file lies beside it."""
    folder.mkdir(exist_ok=True)
    (folder / "iss.yaml").write_text(yaml.safe_dump({**MAP, "corridors": [["bridge", "galley", ticks]]}))
    suite = {"geese": ["scripted"], "ducks": ["scripted"], "seeds": 1, "config": GAME, "map": "iss.yaml", **fields}
    (folder / "mine.yaml").write_text(yaml.safe_dump(suite))
    return folder / "mine.yaml"


def test_a_map_is_looked_for_beside_the_suite_and_then_in_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with_map(tmp_path, ticks=2)
    suite = with_map(tmp_path / "suites", ticks=3)
    assert load_suite(str(suite)).expand()[0].game_map.weight("bridge", "galley") == 3
    (tmp_path / "suites" / "iss.yaml").unlink()
    assert load_suite("suites/mine.yaml").expand()[0].game_map.weight("bridge", "galley") == 2
    (tmp_path / "iss.yaml").unlink()
    with pytest.raises(ConfigError, match=r"map='iss\.yaml': no such file"):
        load_suite("suites/mine.yaml")


def test_a_map_may_be_that_of_a_configuration_an_arm_or_written_out(tmp_path: Path) -> None:
    arms = {"file": {"config": {"map": "iss.yaml"}}, "written": {"map": MAP}, "shipped": {"config": {"map": "small"}}}
    found = load_suite(str(with_map(tmp_path, map=None, arms=arms))).expand()
    rooms = {setting.arm: len(setting.game_map.rooms) for setting in found}
    assert rooms == {"file": 2, "written": 2, "shipped": 5} and found[0].game_map.name == "iss"


def test_a_run_keeps_its_map_and_goes_on_without_the_file(tmp_path: Path) -> None:
    suite = load_suite(str(with_map(tmp_path, seeds=2)))
    with opened(suite, tmp_path / "run"):
        pass
    (tmp_path / "iss.yaml").unlink()
    again = frozen(tmp_path / "run")
    assert again.identity == suite.identity and again.expand()[0].game_map == suite.expand()[0].game_map


def test_another_map_under_the_same_name_is_refused_in_a_run_with_what_differs(tmp_path: Path) -> None:
    with opened(load_suite(str(with_map(tmp_path))), tmp_path / "run"):
        pass
    changed = load_suite(str(with_map(tmp_path, ticks=4)))
    told = r"files.iss.yaml.corridors: \[\['bridge', 'galley', 1\]\] there, \[\['bridge', 'galley', 4\]\] here"
    with pytest.raises(ConfigError, match=told), opened(changed, tmp_path / "run"):
        pass


def test_a_map_that_is_not_valid_is_named_with_suite_file_and_key(tmp_path: Path) -> None:
    suite = with_map(tmp_path, ticks=0)
    with pytest.raises(ConfigError, match=r"mine.yaml: .*iss.yaml: corridors\[0\]: bridge to galley: ticks must be"):
        load_suite(str(suite))


def test_a_suite_that_there_is_not_is_told_with_the_one_that_was_meant() -> None:
    with pytest.raises(ConfigError, match=r"suite 'demoo': no such file or run, .*\(did you mean 'demo'\?\)"):
        load_suite("demoo")
