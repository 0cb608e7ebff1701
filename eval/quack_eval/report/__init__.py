"""The report of a run, for readers: one HTML file."""

from quack_eval.report.report import write_report

__all__ = ["write_report"]
