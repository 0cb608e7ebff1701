"""Evaluation of recorded games: it reads recordings only."""

from __future__ import annotations

from quack_eval.beliefs.evaluation import BeliefEval
from quack_eval.check import check_games
from quack_eval.claims.extract import extract
from quack_eval.claims.finding import Finding
from quack_eval.claims.judge import judge
from quack_eval.claims.types import Claim
from quack_eval.evaluation import Evaluation, evaluate
from quack_eval.evidence import EvidenceEval
from quack_eval.load import find_games, load
from quack_eval.metrics.measure import Measure
from quack_eval.metrics.tier1 import OutcomeEval
from quack_eval.metrics.tier2 import BehaviourEval
from quack_eval.statements import StatementAudit, StatementEval
from quack_eval.timeline import Timeline
from quack_eval.trajectory import Trajectory

__all__ = [
    "BehaviourEval",
    "BeliefEval",
    "Claim",
    "Evaluation",
    "EvidenceEval",
    "Finding",
    "Measure",
    "OutcomeEval",
    "StatementAudit",
    "StatementEval",
    "Timeline",
    "Trajectory",
    "check_games",
    "evaluate",
    "extract",
    "find_games",
    "judge",
    "load",
]
