"""The commands of `quack`, a module each."""
