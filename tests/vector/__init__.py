"""Tests of the batched environment: that it plays the same games as the other forms, and how it behaves itself."""
