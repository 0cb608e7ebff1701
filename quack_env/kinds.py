"""The kinds of events and their packed form: one non-negative 63-bit integer, decided and stored once by the rules.

bits: kind 5, actor + 1 (5), target + 1 (5), room + 1 (7), to + 1 (7), seen_by 16 (a bit per seat), tick 18.
"""

LEG_START, WAIT, DEPART, ARRIVE, TASK_STEP, TASK_DONE, KILL, BODY_APPEARED = range(8)
MEETING_CALLED, BODY_REPORTED, TRANSIT_CANCELLED, STATEMENT, CHAT, VOTE = range(8, 14)
EJECTED, NO_EJECTION, RESPAWN, LAPSED, GAME_OVER = range(14, 19)

KINDS = (
    "leg_start",
    "wait",
    "depart",
    "arrive",
    "task_step",
    "task_done",
    "kill",
    "body_appeared",
    "meeting_called",
    "body_reported",
    "transit_cancelled",
    "statement",
    "chat",
    "vote",
    "ejected",
    "no_ejection",
    "respawn",
    "lapsed",
    "game_over",
    "fallback",  # stands in recordings only, and is never packed
)

# What a statement says: the `to` field of a STATEMENT event (0: free text).
SPEECH, WAS_IN, SAW, DID_TASK, SUSPECT, VOUCH, NOTHING = range(7)
STATEMENTS = ("speech", "was_in", "saw", "did_task", "suspect", "vouch", "nothing")


def pack(tick: int, kind: int, actor: int, target: int, room: int, to: int, seen_by: int) -> int:
    """The event as one integer; -1 stands for "none" in actor, target, room and to."""
    return kind | actor + 1 << 5 | target + 1 << 10 | room + 1 << 15 | to + 1 << 22 | seen_by << 29 | tick << 45


def unpack(event: int) -> tuple[int, int, int, int, int, int, int]:
    """(tick, kind, actor, target, room, to, seen_by) of a packed event."""
    return (
        event >> 45,
        event & 31,
        (event >> 5 & 31) - 1,
        (event >> 10 & 31) - 1,
        (event >> 15 & 127) - 1,
        (event >> 22 & 127) - 1,
        event >> 29 & 0xFFFF,
    )
