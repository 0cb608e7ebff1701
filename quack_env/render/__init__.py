"""Drawing with pygame: pictures for agents (`quack_env.encode.image`) and for people (`spectator`, `window`, `video`).

Nothing here opens a display but `window`. Modules that read a `Game` (`spectator`) are not imported from this file, so
that encoders, which use the primitives beside it, never load them.
"""

from __future__ import annotations

import os

# Standard output belongs to the commands; pygame would greet there on import.
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
