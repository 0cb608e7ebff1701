"""Tests of models as players."""
