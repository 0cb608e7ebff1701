"""Frames as an MP4 file, with imageio-ffmpeg (the extra `video`)."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quack_env.errors import QuackError, install

FPS = 10
SIZE = (1024, 640)
"""Width and height that suit a video: legible, and quick to encode."""
Frame = NDArray[np.uint8]


def write_video(
    frames: Iterable[Frame],
    path: str | os.PathLike[str],
    fps: int = FPS,
    progress: Callable[[int], None] | None = None,
) -> int:
    """Write the frames to an MP4 file and return how many there were.

    Args:
        frames: uint8 (H, W, 3), all of one size; they are taken one at a time, as they are written. An odd last row
            or column is left out, because the format has none.
        path: of the file; its folder must exist. What is there is replaced once the first frame is made.
        fps: frames per second.
        progress: called after each frame with how many are written.

    Raises:
        QuackError: where imageio-ffmpeg is not installed, there is no frame, frames differ in size, or the encoder
            cannot write the file.
    """
    encoder = _encoder()
    target = os.fspath(path)
    folder = os.path.dirname(target) or "."
    if not os.path.isdir(folder):
        raise QuackError(f"video={target!r}: there is no folder {folder!r}")
    writer: Any = None
    shape: tuple[int, ...] = ()
    count = 0
    try:
        for frame in frames:
            if writer is None:
                shape = frame.shape
                writer = _open(encoder, target, shape, fps)
            if frame.shape != shape:
                raise QuackError(f"video={target!r}: frame {count} is {frame.shape}, the others are {shape}")
            writer.send(np.ascontiguousarray(frame[: shape[0] // 2 * 2, : shape[1] // 2 * 2]))
            count += 1
            if progress is not None:
                progress(count)
    except OSError as fault:
        raise QuackError(f"video={target!r}: the encoder stopped: {fault}") from None
    finally:
        if writer is not None:
            writer.close()
    if not count:
        raise QuackError(f"video={target!r}: there are no frames to write")
    return count


def _encoder() -> Any:
    try:
        return importlib.import_module("imageio_ffmpeg")
    except ImportError:
        raise QuackError(f"video needs imageio-ffmpeg: {install('video')}") from None


def _open(encoder: Any, target: str, shape: tuple[int, ...], fps: int) -> Any:
    """A generator that frames are sent to; flat pictures need little effort to become small."""
    size = shape[1] // 2 * 2, shape[0] // 2 * 2
    options = ["-preset", "veryfast", "-movflags", "+faststart"]
    writer = encoder.write_frames(
        target, size, fps=fps, quality=None, macro_block_size=2, codec="libx264", output_params=["-crf", "20", *options]
    )
    writer.send(None)
    return writer
