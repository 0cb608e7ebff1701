"""The top floor: command line, suites and the runner; it wires the game, its players and the evaluation."""
