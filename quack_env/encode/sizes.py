"""What sizes the images of the observation may have; nothing is drawn here, and so nothing for drawing imported."""

from __future__ import annotations

from typing import Any

import numpy as np

from quack_env.errors import ConfigError

TEXT_FROM = 200
"""Pictures of at least so many pixels have text; 384 and more are meant for models that read."""
SMALLEST, LARGEST = 64, 4096


def image_sizes(image_size: Any) -> tuple[int, int]:
    """(pixels of the global map, of the local view) from a whole number or a pair of them.

    Raises:
        ConfigError: where `image_size` is neither, or out of SMALLEST..LARGEST.
    """
    pair = image_size if isinstance(image_size, tuple | list) else (image_size, image_size)
    whole = all(isinstance(s, int | np.integer) and not isinstance(s, bool) for s in pair)
    if len(pair) != 2 or not whole or not all(SMALLEST <= s <= LARGEST for s in pair):
        raise ConfigError(
            f"image_size={image_size!r}: must be a whole number from {SMALLEST} to {LARGEST}, "
            "or two of them (global map, local view)"
        )
    return int(pair[0]), int(pair[1])
