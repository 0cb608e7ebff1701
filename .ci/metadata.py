"""Checks a wheel's metadata against pyproject.toml, and that an sdist can be built and read by itself.

Usage: python .ci/metadata.py WHEEL SDIST
"""

from __future__ import annotations

import sys
import tarfile
import tomllib
import zipfile
from configparser import ConfigParser
from email import message_from_bytes
from pathlib import Path

PACKAGES = ("quack_env", "quack_agents", "quack_eval", "quack_bench")


def main(wheel: str, sdist: str) -> None:
    """Ends with an `AssertionError` where something is not as it should be."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
        info = next(name.partition("/")[0] for name in names if ".dist-info/" in name)
        about = message_from_bytes(file.read(f"{info}/METADATA"))
        points = ConfigParser()
        points.read_string(file.read(f"{info}/entry_points.txt").decode())
    assert about["Name"] == project["name"]
    assert about["Version"] in Path(wheel).name
    assert about["License-Expression"] == project["license"]
    assert about["Requires-Python"] == project["requires-python"]
    assert set(about.get_all("Provides-Extra")) == set(project["optional-dependencies"])
    assert about.get_payload().strip(), "no description"
    assert dict(points["console_scripts"]) == project["scripts"]
    assert dict(points["quack.policies"]) == project["entry-points"]["quack.policies"]
    assert f"{info}/licenses/LICENSE" in names
    assert {name.partition("/")[0] for name in names} == {*PACKAGES, info}, "something generic would be installed"
    assert all(f"{package}/py.typed" in names for package in PACKAGES)
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "README.md", "pyproject.toml"} <= held
    print(
        f"{about['Name']} {about['Version']}: {len(names)} files, extras {', '.join(about.get_all('Provides-Extra'))}"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
