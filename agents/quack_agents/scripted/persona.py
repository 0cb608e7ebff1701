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
    doubt: float
    """How much suspicion is left of somebody who cannot have killed, by what it remembers: 0 for none to 1 for all."""
    weighs: bool
    """Whether it weighs how well each could have killed, and not only who could not."""
    trust: float
    """Weight of what others say without proof, in units of log odds."""
    wary: float
    """Belief from which it leaves a room in which it is alone with somebody."""
    company: int
    """Ticks it goes out of its way, or waits, for a companion."""
    gathers: float
    """Probability, drawn for each leg, of staying by the button when its tasks are done."""
    rests: int
    """Ticks it otherwise stays in company then before it walks on."""
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
            doubt=0.25,
            weighs=False,
            trust=1.0,
            wary=0.6,
            company=1,
            gathers=0.6,
            rests=4,
            crowd=2,
            patience=12,
            margin=1,
            unseen=4,
            self_report=0.5,
            lies=(0.45, 0.25, 0.15, 0.15),
            accuses=0.6,
        ),
        Persona(
            name="aggressive",
            accuse=0.3,
            vote=0.28,
            call=0.7,
            doubt=0.5,
            weighs=False,
            trust=1.4,
            wary=0.9,
            company=0,
            gathers=0.0,
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
            accuse=0.6,
            vote=0.65,
            call=0.95,
            doubt=0.002,
            weighs=True,
            trust=0.7,
            wary=0.35,
            company=3,
            gathers=1.0,
            rests=4,
            crowd=2,
            patience=30,
            margin=2,
            unseen=6,
            self_report=0.15,
            lies=(0.8, 0.1, 0.1, 0.0),
            accuses=0.1,
        ),
    )
}


def named(name: str) -> Persona:
    """The persona of that name.

    Raises:
        ConfigError: where there is none; lists those there are.
    """
    if name not in PERSONAS:
        raise ConfigError(f"persona={name!r}: must be one of {', '.join(PERSONAS)}")
    return PERSONAS[name]
