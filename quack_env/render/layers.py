"""Pictures that are drawn once in a process and shared by everything in it that shows the same map at the same size."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

LAYER_BYTES = 96 * 2**20
"""Memory that the layers may take in a process; those longest unused go first."""


class Layers:
    """A store of pictures by key."""

    def __init__(self, most: int = LAYER_BYTES) -> None:
        self.most = most
        self._kept: OrderedDict[Any, NDArray[np.uint8]] = OrderedDict()

    def get(self, key: Any, draw: Callable[[], NDArray[np.uint8]]) -> NDArray[np.uint8]:
        """The picture of this key, drawn when it is not there; read-only."""
        picture = self._kept.get(key)
        if picture is None:
            picture = draw()
            picture.flags.writeable = False
            self._kept[key] = picture
            while len(self._kept) > 1 and sum(p.nbytes for p in self._kept.values()) > self.most:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return picture


layers = Layers()
