"""Many games at once: the batched environment, over the same rules, compiled where Numba is installed."""
