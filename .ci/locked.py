"""Checks that what pip installed is what `requirements/ci.txt` names: each package, its version and its file's SHA-256.

Hashes stand there as comments: pip refuses hashes beside an editable install, which is what the README asks for.

Usage: PIP_REPORT=REPORT pip install ..., then: python .ci/locked.py REPORT
       and with --renew it writes requirements/ci.txt anew from the report
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from packaging.utils import canonicalize_name

LOCK = Path("requirements/ci.txt")


def installed(report: str) -> list[str]:
    """A line of the lock for each package that pip's report says was installed from an archive."""
    lines = []
    for package in json.loads(Path(report).read_text(encoding="utf-8"))["install"]:
        if archive := package["download_info"].get("archive_info"):
            name, version = canonicalize_name(package["metadata"]["name"]), package["metadata"]["version"]
            lines.append(f"{name}=={version}  # sha256={archive['hashes']['sha256']}")
    return sorted(lines)


def main(report: str, *options: str) -> None:
    """Ends with a line for each package that is not in the lock as it was installed."""
    found = installed(report)
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    if "--renew" in options:
        kept = [line for line in lines if "sha256=" not in line]
        LOCK.write_text("\n".join([*kept, *found]) + "\n", encoding="utf-8")
        return
    unknown = [line for line in found if line not in lines]
    if not found or unknown:
        sys.exit("\n".join(["installed, and not so in requirements/ci.txt:", *(unknown or ["nothing was installed"])]))
    print(f"{len(found)} packages, as locked")


if __name__ == "__main__":
    main(*sys.argv[1:])
