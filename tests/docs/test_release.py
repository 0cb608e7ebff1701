"""What is said about the release is so: locked versions, declared Pythons, cited version, links, pages of the site."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from quack_env import __version__
from tests.docs.pages import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
LOCK = ROOT / "requirements" / "ci.txt"


def required(texts: list[str]) -> list[Requirement]:
    """The requirements of a list, extras of our own replaced by theirs."""
    found: list[Requirement] = []
    for text in texts:
        requirement = Requirement(text)
        if requirement.name == "quack_env":
            found += required([inner for extra in sorted(requirement.extras) for inner in EXTRAS[extra]])
        else:
            found.append(requirement)
    return found


def locked() -> dict[str, str]:
    """The locked versions by name."""
    lines = [line for line in LOCK.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return dict(line.partition("  #")[0].split("==") for line in lines)


def test_the_lock_holds_names_versions_and_hashes_and_nothing_else() -> None:
    for line in LOCK.read_text(encoding="utf-8").splitlines():
        pinned = re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*  # sha256=[0-9a-f]{64}", line)
        assert pinned or line.startswith(("# ", "torch==")), line


def report_of(files: dict[str, str], path: Path) -> Path:
    """What pip would report of having installed these packages (name==version) from files with these hashes."""
    install = [
        {
            "metadata": dict(zip(("name", "version"), package.split("=="), strict=True)),
            "download_info": {"archive_info": {"hashes": {"sha256": sha256}}},
        }
        for package, sha256 in files.items()
    ]
    ours = {"metadata": {"name": "quack_env", "version": "0.1.0"}, "download_info": {"dir_info": {"editable": True}}}
    path.write_text(json.dumps({"install": [*install, ours]}), encoding="utf-8")
    return path


def check(report: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ".ci/locked.py", str(report)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_gate_takes_a_locked_file_and_no_other_file_of_the_same_version(tmp_path: Path) -> None:
    name, _, sha256 = LOCK.read_text(encoding="utf-8").splitlines()[-1].partition("  # sha256=")
    right = check(report_of({name: sha256}, tmp_path / "right.json"))
    assert (right.returncode, right.stdout) == (0, "1 packages, as locked\n")
    wrong = check(report_of({name: "0" * 64}, tmp_path / "wrong.json"))
    assert wrong.returncode == 1
    assert f"{name}  # sha256=000" in wrong.stderr


def test_the_gate_does_not_take_an_empty_report_for_a_good_one(tmp_path: Path) -> None:
    assert check(report_of({}, tmp_path / "empty.json")).returncode == 1


def test_the_lock_has_all_that_development_needs_in_versions_that_are_allowed() -> None:
    versions = locked()
    for requirement in required([*PROJECT["dependencies"], *EXTRAS["dev"]]):
        name = canonicalize_name(requirement.name)
        assert name in versions, f"{name}: renew requirements/ci.txt (see CONTRIBUTING.md)"
        assert requirement.specifier.contains(versions[name]), f"{name}=={versions[name]} is not {requirement}"


def test_the_gate_uses_the_lock() -> None:
    assert "PIP_CONSTRAINT=$PWD/requirements/ci.txt" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_the_pythons_that_are_declared_are_those_that_the_readme_tells() -> None:
    declared = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert PROJECT["requires-python"] == f">={declared[0]}"
    for version in declared:
        assert re.search(rf"\b{re.escape(version)}\b", readme), version


def test_the_citation_and_the_changelog_are_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert citation["license"] == PROJECT["license"]
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version = {{{__version__}}}" in (ROOT / "docs" / "citation.md").read_text(encoding="utf-8")


def test_issue_forms_can_be_read() -> None:
    for form in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        data = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert data["name"] and all("type" in part for part in data["body"])


def test_links_of_files_outside_the_site_lead_somewhere() -> None:
    """Those within docs/ are checked by `mkdocs build --strict`."""
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "llms.txt"):
        for target in re.findall(r"\]\(([^)\s]+)\)", (ROOT / name).read_text(encoding="utf-8")):
            if re.match(r"https?://", target):
                continue
            path, _, anchor = target.partition("#")
            assert (ROOT / path).exists(), f"{name}: {target}"
            if anchor:
                headings = re.findall(r"^#+ (.+)$", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
                assert anchor in [re.sub(r"[^a-z0-9 -]", "", h.lower()).replace(" ", "-") for h in headings], target


def test_the_site_lists_every_page() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"[\w/]+\.md", text.split("\nnav:")[1].split("\ntheme:")[0]))
    there = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert listed == {page for page in there if not page.startswith("prompts/")}
