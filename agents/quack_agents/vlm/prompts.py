"""What a model is told: the templates, filled with what one agent knows.

Everything here is made of a `Briefing`, a `View` and the agent's own `Diary`; a `State` is never at hand. Templates are
files; `VERSION`, a hash over them, stands in every record of a call.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any

from quack_agents.probe.inquiry import Inquiry
from quack_agents.vlm.memory import Diary, harmless
from quack_env.briefing import Briefing
from quack_env.encode.text import counted, exits, meeting, quote, summary
from quack_env.state import DISCUSSION, FREE, PHASES
from quack_env.view import View
from quack_env.world import TEXT, TOKENS

TEMPLATES = Path(__file__).parent / "templates"
REMEMBERED = "WHAT YOU REMEMBER (your own perceptions; numbers are ticks)"
MODALITIES = ("image+text", "image", "text")
PERSONAS = {
    "cautious": "You are careful: you keep to facts, avoid risks, and do not accuse before you are sure.",
    "aggressive": "You are bold: you take risks, accuse early and press others hard.",
    "quiet": "You say little: one or two short sentences, and only what matters.",
    "talkative": "You like to talk: you explain what you saw and think in full.",
    "analytical": "You argue step by step, with rooms and ticks, and compare the stories of the others.",
}


@lru_cache(maxsize=1)
def _texts() -> dict[str, str]:
    return {file.stem: file.read_text("utf-8").rstrip("\n") for file in sorted(TEMPLATES.glob("*.txt"))}


@lru_cache(maxsize=2)
def version(probe: bool = False) -> str:
    """A hash over the templates of the game, or over those of probes."""
    texts = "\0".join(f"{name}\0{text}" for name, text in _texts().items() if name.startswith("probe") == probe)
    return hashlib.blake2b(texts.encode(), digest_size=6).hexdigest()


@lru_cache(maxsize=64)
def _template(name: str) -> Template:
    return Template(_texts()[name])


def fill(name: str, /, **values: object) -> str:
    """A template with its values; what stands in a value is not looked at again."""
    return _template(name).substitute({key: str(value) for key, value in values.items()})


@lru_cache(maxsize=2)
def _lines(name: str) -> dict[str, str]:
    """A template with a text a line, behind its name."""
    return dict(line.split(": ", 1) for line in _texts()[name].splitlines())


class Prompts:
    """The prompts of one agent in one game.

    Args:
        briefing: the public facts.
        view: the agent's first view, for its role.
        modality: "image+text", "image" or "text".
        persona: a name of `PERSONAS`, a description, or None.
        language: of what the agent says.
        structured: whether answers are JSON.
        memory_tokens: of remembered words at most; facts are kept beyond that.
    """

    def __init__(
        self,
        briefing: Briefing,
        view: View,
        modality: str = "image+text",
        persona: str | None = None,
        language: str = "English",
        structured: bool = False,
        memory_tokens: int = 4000,
    ) -> None:
        self.briefing = briefing
        self.modality = modality
        self.memory_tokens = memory_tokens
        self.style = "json" if structured else "plain"
        self.role = "duck" if view.duck else "goose"
        self.system = self._system(view, persona, language)

    # --- the system message ------------------------------------------------------------------------------------------

    def _system(self, view: View, persona: str | None, language: str) -> str:
        briefing, config = self.briefing, self.briefing.config
        return fill(
            "system",
            name=briefing.names[view.me],
            role="Duck (impostor)" if view.duck else "Goose (innocent)",
            objective=_texts()[f"objective_{self.role}"],
            geese=config.n_players - config.n_ducks,
            ducks=counted(config.n_ducks, "Duck"),
            players=", ".join(briefing.names[j] for j in briefing.listing),
            teammates=self._teammates(view),
            max_ticks=config.max_ticks,
            tasks=counted(config.n_tasks, "task"),
            task_ticks=counted(config.task_ticks, "tick"),
            in_a_row="there, whenever they are" if config.keep_progress else "there in a row",
            kill_cooldown=counted(config.kill_cooldown, "tick"),
            witness="Those in the room see it."
            if config.witness_kills
            else "Nobody sees the kill itself, only the body.",
            button=briefing.game_map.button,
            calls=counted(config.button_budget, "call"),
            rounds=counted(config.discussion_rounds, "round"),
            most_say=counted(config.max_say, "character"),
            reveal="The role of the ejected is shown."
            if config.reveal_role
            else "The role of the ejected is not shown.",
            drop_dead="" if config.drop_dead_tasks else ", those of the dead included",
            map=self._map(),
            vision=_texts()["vision_" + ("both" if self.modality == "image+text" else self.modality)],
            format=self._format(language),
            persona=f"\nYOUR MANNER\n{PERSONAS.get(persona, persona)}" if persona else "",
        )

    def _teammates(self, view: View) -> str:
        if not view.duck:
            return ""
        partners = self.briefing.listed(view.partners)
        return f"Your fellow Ducks: {', '.join(partners)}. Protect them.\n" if partners else "You are the only Duck.\n"

    def _map(self) -> str:
        """The map in words; images have it drawn."""
        if self.modality == "image":
            return ""
        game_map = self.briefing.game_map
        lines = ["THE MAP (ticks of the corridors in brackets)"]
        lines += [f"- {room}: {exits(game_map, room)}" for room in game_map.rooms]
        return "\n".join([*lines, "", ""])

    def _format(self, language: str) -> str:
        room = self.briefing.game_map.button
        say = ""
        speak = _texts()[f"speak_tokens_{self.style}"]
        if self.briefing.world.speech == TEXT:
            say = fill(f"say_{self.style}", room=room)
            speak = fill(f"speak_{self.style}", language=language)
        return fill(f"format_{self.style}", room=room, say=say, speak=speak)

    # --- the question ------------------------------------------------------------------------------------------------

    def question(self, view: View, diary: Diary, legal: Sequence[str]) -> str:
        """The text of the user message for a decision; ``diary`` has what is to be remembered beside the situation."""
        common: dict[str, Any] = {
            "memory": f"{REMEMBERED}\n{diary.text(self.memory_tokens)}\n\n",
            "situation": self._situation(view),
            "actions": "\n".join(f"- {action}" for action in legal),
            "ask": self.ask(view),
        }
        if view.phase == FREE:
            return fill("roam", strategy=self._strategy("roam"), **common)
        if view.phase != DISCUSSION:
            return fill("vote", strategy=self._strategy("vote"), **common)
        place, speakers = view.speaker + 1, len(view.speaking)
        late = view.round > 1 or place > (speakers + 1) // 2
        tokens = ""
        if self.briefing.world.speech == TOKENS:
            tokens = f" You can say one of these:\n{common['actions']}\n\n"
        return fill(
            "discussion",
            strategy=self._strategy("late" if late else "early"),
            round=view.round,
            rounds=self.briefing.config.discussion_rounds,
            place=place,
            speakers=speakers,
            tokens=tokens,
            **common,
        )

    def ask(self, view: View) -> str:
        """The last line of a question, which a re-ask repeats."""
        kind = {FREE: "action", DISCUSSION: "speech"}.get(view.phase, "vote")
        if kind == "speech" and self.briefing.world.speech == TOKENS:
            kind = "statement"
        return Template(_lines("ask")[f"{kind}_{self.style}"]).substitute(
            most_say=counted(self.briefing.config.max_say, "character")
        )

    def reask(self, view: View, detail: str) -> str:
        """What is added to a question whose answer could not be used."""
        return fill("reask", detail=detail, ask=self.ask(view))

    def inquiry(self, view: View, diary: Diary, inquiry: Inquiry) -> str:
        """The text of the user message of a probe; ``diary`` as for a question."""
        questions = _lines("probe_questions")
        return fill(
            "probe",
            memory=f"{REMEMBERED}\n{diary.text(self.memory_tokens)}\n\n",
            situation=self._situation(view),
            next={FREE: "your next action", DISCUSSION: "your next statement"}.get(view.phase, "your vote"),
            tick=view.tick,
            phase=PHASES[view.phase].replace("_", " "),
            dead=", ".join(self.briefing.listed(view.known_dead)) or "nobody",
            question=inquiry.text or questions[inquiry.kind],
            why=questions["why"] if inquiry.rationale else "",
            form=form(inquiry, self.briefing.names),
        )

    def repair(self, faults: Iterable[str]) -> str:
        """What is added to a probe whose answer could not be used."""
        details = dict.fromkeys(fault.partition(": ")[2] for fault in faults)
        return fill("probe_repair", detail="; ".join(details))

    def _strategy(self, phase: str) -> str:
        return _texts()[f"{self.role}_{phase}"] + "\n"

    def _situation(self, view: View) -> str:
        """The summary in words; for images alone only what images cannot have: the words of a meeting."""
        view = harmless_view(view)
        if self.modality == "image":
            lines = [f"Tick {view.tick}. Your situation is in the images.", *meeting(self.briefing, view)]
            lines += [f"- tick {m.tick}, {m.room}: {m.speaker} said {quote(m.text)}" for m in view.messages if m.room]
            return "YOUR SITUATION NOW\n" + "\n".join(lines) + "\n"
        return f"YOUR SITUATION NOW\n{summary(self.briefing, view)}\n"


def form(inquiry: Inquiry, names: Sequence[str]) -> str:
    """The form of the answer to a probe, a line a player, with question marks for numbers."""
    leaf = ", ".join(f"{json.dumps(answer, ensure_ascii=False)}: ?" for answer in inquiry.answers)
    leaf = "{" + leaf + (', "why": "..."' if inquiry.rationale else "") + "}"
    entries: dict[int, list[str]] = {}
    for seat, *about in inquiry.paths:
        entries.setdefault(seat, []).extend(f"{json.dumps(names[of], ensure_ascii=False)}: {leaf}" for of in about)
    lines = [
        f"{json.dumps(names[seat], ensure_ascii=False)}: {'{' + ', '.join(inner) + '}' if inner else leaf}"
        for seat, inner in entries.items()
    ]
    return "{" + ",\n ".join(lines) + "}"


def harmless_view(view: View) -> View:
    """The view with the words of others made harmless."""
    if not view.messages and not view.transcript:
        return view
    view = copy.copy(view)
    view.messages = tuple(m._replace(text=harmless(m.text)) for m in view.messages)
    view.transcript = tuple(m._replace(text=harmless(m.text)) for m in view.transcript)
    return view
