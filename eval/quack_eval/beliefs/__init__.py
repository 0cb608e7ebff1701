"""Beliefs of players over recorded games: measures, the Bayesian reference, pictures."""

from quack_eval.beliefs.evaluation import BeliefEval
from quack_eval.beliefs.games import BeliefGame, game_of
from quack_eval.beliefs.load import belief_games
from quack_eval.beliefs.reference import observe, reference_beliefs

__all__ = ["BeliefEval", "BeliefGame", "belief_games", "game_of", "observe", "reference_beliefs"]
