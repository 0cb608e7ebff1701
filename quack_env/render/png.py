"""Images as PNG bytes and data URIs, for models.

Pictures of flat colours compress best unfiltered (measured against filters 1 and 2, levels 1 to 6, run-length and
Huffman-only strategies, and pygame's own writer, which takes three times as long): benchmarks/speed/images.py.
"""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

SIGNATURE = b"\x89PNG\r\n\x1a\n"
LEVEL = 3
RGB8 = (8, 2, 0, 0, 0)
"""Bit depth, colour type, compression, filter method, interlace."""
MEDIA_TYPE = "image/png"


def to_png(image: NDArray[np.uint8]) -> bytes:
    """The image, uint8 (H, W, 3), as a PNG file; the same bytes for the same pixels.

    Raises:
        ValueError: where it is no such image.
    """
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or not image.size:
        raise ValueError(f"an image is uint8 (H, W, 3), not {image.dtype} {image.shape}")
    h, w, _ = image.shape
    rows = np.empty((h, 3 * w + 1), np.uint8)
    rows[:, 0] = 0  # each row begins with its filter: none
    rows[:, 1:] = image.reshape(h, 3 * w)
    return b"".join(
        (
            SIGNATURE,
            _chunk(b"IHDR", struct.pack(">2I5B", w, h, *RGB8)),
            _chunk(b"IDAT", zlib.compress(rows.data, LEVEL)),
            _chunk(b"IEND", b""),
        )
    )


def data_uri(image: NDArray[np.uint8]) -> str:
    """The image as a PNG in a `data:` URI, as chat interfaces take it."""
    return f"data:{MEDIA_TYPE};base64,{base64.b64encode(to_png(image)).decode('ascii')}"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(data, zlib.crc32(kind)))
