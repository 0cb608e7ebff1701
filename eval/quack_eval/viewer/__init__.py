"""The viewer: recorded games and runs as static pages that open from disk."""

from quack_eval.viewer.site import Site, view

__all__ = ["Site", "view"]
