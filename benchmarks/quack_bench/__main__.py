"""The command `quack`, which is also `python -m quack_bench`."""

import sys


def main() -> None:
    """The command line; Ctrl-C ends it with a word while it is still being loaded, too."""
    try:
        from quack_bench.cli import app
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(130)
    app()


if __name__ == "__main__":
    main()
