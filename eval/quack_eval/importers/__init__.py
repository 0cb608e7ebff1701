"""Readers of games that were recorded elsewhere: each makes our trajectory type by running our rules."""
