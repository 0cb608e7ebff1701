"""Measures over recorded games: counting, intervals, tables."""
