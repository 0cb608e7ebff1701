"""The events shown with a finding: those that decide it, or, where nothing happened, where people were instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quack_eval.claims.finding import FALSE, NEAR_MISS, WRONG_ROOM, Finding
from quack_eval.timeline import Stay, Timeline

MOST = 12
"""Events shown in place of missing ones, at most."""


def deciding(timeline: Timeline, finding: Finding) -> list[int]:
    """The evidence, in events that concern those whom the claim is about.

    Evidence is an instant: where its event is somebody else's elsewhere in the ship, what began the stays of those
    concerned is shown in its place.
    """
    people = set(concerned(timeline.trajectory.names, finding))
    found: dict[int, None] = {}
    for instant in finding.evidence:
        event = timeline.events[instant]
        if not people or people & {event.actor, event.target, *event.seen_by} or event.kind == "leg_start":
            found[instant] = None
            continue
        stays = [stay for seat in sorted(people) for stay in timeline.between(seat, instant, instant)]
        found.update(dict.fromkeys(_beginnings(timeline, stays) if stays else (instant,)))
    return list(found)


def instead(timeline: Timeline, finding: Finding) -> list[int]:
    """Where those were, in the window, whom an untrue claim without deciding events is about: how each stay began."""
    untrue = finding.verdict in (FALSE, WRONG_ROOM, NEAR_MISS) and finding.kind != "accusation"
    if finding.evidence or not untrue or finding.window is None:
        return []
    found: dict[int, None] = {}
    for seat in concerned(timeline.trajectory.names, finding):
        for first, last in finding.window.spans:
            found.update(dict.fromkeys(_beginnings(timeline, timeline.between(seat, first, last))))
    return sorted(found)[:MOST]


def concerned(names: Sequence[str], finding: Finding) -> list[int]:
    """The seats that a claim is about."""
    lowered = [name.lower() for name in names]
    claim = finding.claim
    people = [claim.subject or names[finding.speaker], claim.target]
    return [lowered.index(name.lower()) for name in people if name and name.lower() in lowered]


def _beginnings(timeline: Timeline, stays: Sequence[Stay]) -> Iterator[int]:
    """The events with which stays began."""
    for stay in stays:
        if stay.began == "spawn":
            yield stay.first
            continue
        who = "target" if stay.began == "kill" else "actor"
        for event in timeline.events[max(stay.first - 1, 0) :]:
            if event.kind == stay.began and getattr(event, who) == stay.seat:
                yield event.index
                break
