"""Beliefs: measures on sequences with known answers, the reference over told games, pictures, other recordings."""
