"""Trained networks as players, and how they are trained."""
