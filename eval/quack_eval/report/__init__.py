"""The report of a run, for readers: one HTML file."""

from quack_eval.report.report import report_of, write_report

__all__ = ["report_of", "write_report"]
