"""What an installation must give, wherever a script lies."""

import subprocess
import sys
from pathlib import Path


def test_a_script_beside_a_clone_of_the_same_name_imports_the_package(tmp_path: Path) -> None:
    (tmp_path / "quack_env" / "docs").mkdir(parents=True)
    script = tmp_path / "use.py"
    script.write_text("import quack_env\nprint(len(quack_env.parallel_env().possible_agents))\n", encoding="utf-8")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "6"), done.stderr
