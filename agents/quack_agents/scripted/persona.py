"""Temperaments of the scripted players: the numbers by which they differ, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from quack_env.errors import ConfigError


@dataclass(frozen=True)
class Persona:
    """What a scripted player dares. Beliefs are probabilities of being a Duck, times are in ticks."""

    name: str
    # as a Goose
    accuse: float
    """Belief from which it calls somebody suspicious."""
    vote: float
    """Belief from which it votes for somebody and does not skip."""
    call: float
    """Belief from which it walks to the button and calls a meeting."""
    trust: float
    """Weight of what others say without proof, in units of log odds."""
    wary: float
    """Belief from which it leaves a room in which it is alone with somebody."""
    company: int
    """Ticks it goes out of its way, or waits, for a companion."""
    gathers: bool
    """Whether it stays where people gather when its tasks are done."""
    rests: int
    """Ticks it then stays in company before it walks on."""
    # as a Duck
    crowd: int
    """Other Geese in whose presence it kills, once it has lost patience."""
    patience: int
    """Ticks it waits for a kill without a witness, once it may kill."""
    margin: int
    """Ticks within which nobody it has seen lately may come in."""
    unseen: int
    """Ticks for which no other Goose must have seen it before a kill."""
    self_report: float
    """Probability of reporting its own kill when a Goose comes in."""
    lies: tuple[float, float, float, float]
    """Weights of the degrees of lying: omission, wrong room, wrong time, invented sighting."""
    accuses: float
    """Probability of accusing somebody before anybody accuses it."""


PERSONAS = {
    persona.name: persona
    for persona in (
        Persona(
            name="default",
            accuse=0.4,
            vote=0.4,
            call=0.9,
            trust=1.0,
            wary=0.6,
            company=1,
            gathers=False,
            rests=4,
            crowd=2,
            patience=25,
            margin=1,
            unseen=4,
            self_report=0.5,
            lies=(0.45, 0.25, 0.15, 0.15),
            accuses=0.3,
        ),
        Persona(
            name="aggressive",
            accuse=0.3,
            vote=0.28,
            call=0.7,
            trust=1.4,
            wary=0.9,
            company=0,
            gathers=False,
            rests=4,
            crowd=2,
            patience=4,
            margin=-9,
            unseen=0,
            self_report=0.7,
            lies=(0.15, 0.25, 0.15, 0.45),
            accuses=0.7,
        ),
        Persona(
            name="cautious",
            accuse=0.55,
            vote=0.55,
            call=0.95,
            trust=0.7,
            wary=0.35,
            company=3,
            gathers=True,
            rests=10_000,
            crowd=0,
            patience=10_000,
            margin=2,
            unseen=6,
            self_report=0.15,
            lies=(0.8, 0.1, 0.1, 0.0),
            accuses=0.1,
        ),
    )
}


def persona(name: str) -> Persona:
    """The persona of that name.

    Raises:
        ConfigError: where there is none; lists those there are.
    """
    if name not in PERSONAS:
        raise ConfigError(f"persona={name!r}: must be one of {', '.join(PERSONAS)}")
    return PERSONAS[name]
