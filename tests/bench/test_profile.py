"""`quack profile`: a page for every policy, with the numbers of the run."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from quack_eval import BeliefEval
from quack_eval.beliefs.profile import Mark, Trait

from .conftest import Run, only_object


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three probed games."""
    from typer.testing import CliRunner

    from quack_bench.cli import app

    folder = tmp_path_factory.mktemp("profile")
    suite = {
        "geese": ["scripted:cautious"],
        "ducks": ["scripted"],
        "seeds": [1, 2, 3],
        "probes": {"triggers": "meetings"},
    }
    (folder / "s.yaml").write_text(yaml.safe_dump(suite))
    result = CliRunner().invoke(app, ["bench", str(folder / "s.yaml"), "--out", str(folder / "run"), "--jobs", "1"])
    assert result.exit_code == 0, result.output
    return folder / "run"


def test_every_policy_has_a_page_with_the_measures_of_its_role(quack: Run, run: Path, tmp_path: Path) -> None:
    found = only_object(quack("profile", run, "--out", tmp_path, "--json"))
    assert set(found["policies"]) == {"scripted", "scripted:cautious"}
    goose, duck = found["policies"]["scripted:cautious"], found["policies"]["scripted"]
    measured = BeliefEval(run).estimates["goose", "scripted:cautious"]
    assert goose["certainty"]["value"] == measured["certainty"].pooled
    assert goose["calibration error"]["value"] is not None and goose["deception: false claims"]["value"] is None
    assert duck["certainty"]["value"] is None and duck["games won as a Duck"]["n"] == 3
    assert "agreement" in found["shared"] and "trust" in found["shared"]
    for page in map(Path, found["pages"]):
        text = page.read_text("utf-8")
        assert page.parent == tmp_path and "Profile of scripted" in text and "calibration error" in text
        assert "src=" not in text.partition("<body")[0]


@pytest.mark.parametrize(("value", "verdict"), [(0.1, "below"), (0.2, "ideal"), (0.7, "ideal"), (0.8, "above")])
def test_a_value_is_held_against_the_ideal_range(value: float, verdict: str) -> None:
    assert Mark(Trait("certainty", "certainty", "goose", (0.2, 0.7)), value, None, 1).verdict == verdict


def test_what_is_not_known_has_no_verdict() -> None:
    assert Mark(Trait("certainty", "certainty", "goose", (0.2, 0.7)), None, None, 0).verdict == "-"
    assert Mark(Trait("lies", "deception_rate", "duck"), 0.5, None, 3).verdict == "-"


def test_a_run_without_beliefs_is_refused(quack: Run, small_run: Path) -> None:
    result = quack("profile", small_run)
    assert result.exit_code == 2 and "no beliefs" in result.stderr
