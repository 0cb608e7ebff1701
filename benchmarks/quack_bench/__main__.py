"""`python -m quack_bench` is the command `quack`."""

from quack_bench.cli import app

app()
