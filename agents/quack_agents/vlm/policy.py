"""A model in a seat: `VLMPolicy`."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from quack_agents.base import Action, Agent
from quack_agents.llm import (
    LOOP,
    BudgetError,
    Client,
    Messages,
    ModelError,
    ModelSettings,
    Reply,
    Secret,
    check_provider,
    shared_client,
    split_name,
)
from quack_agents.probe.config import ProbeConfig
from quack_agents.probe.inquiry import Estimate, Inquiry, inquiries
from quack_agents.vlm.calls import SCHEMA, Notes, NumberAction, WordsAction
from quack_agents.vlm.estimates import WHY, read_estimates
from quack_agents.vlm.memory import Diary
from quack_agents.vlm.prompts import MODALITIES, Prompts, version
from quack_agents.vlm.reply import TOO_LONG, Grammar, Parsed, read_speech
from quack_env.encode.image import ImageEncoder
from quack_env.errors import ConfigError, install
from quack_env.info import Info
from quack_env.render.png import to_png
from quack_env.state import DISCUSSION, FREE, VOTING
from quack_env.view import View
from quack_env.world import TEXT

OPTIONS = ("modality", "persona", "language", "memory_tokens", "reasks")
"""What a model's name may say of a player beside the fields of `ModelSettings`."""
TOKENS_A_NUMBER, TOKENS_A_REASON = 16, 80
"""Room in the answer to a probe, for each player: names and brackets included."""


class Picture(NamedTuple):
    """An image as it is sent: PNG bytes and their hash."""

    name: str
    digest: str
    png: bytes


class VLMPolicy(Agent):
    """A model of LiteLLM (or of any server that speaks the OpenAI protocol) as a player.

    It decides on the agent's own perceptions: images and summary of the moment, and a memory that it keeps itself.
    A reply that is not understood is asked for again, with the failure named; after that the action is a declared
    fallback (wait, silence, skip). A provider that fails raises `ModelError`: the game is then not scored.

    Args:
        model: "provider/model", perhaps with options as in "openai/gpt-5.5?modality=text&temperature=0".
        modality: "image+text", "image" or "text": the paper's setting, and the arms of its ablation.
        persona: a name (see `prompts.PERSONAS`) or a description of a manner.
        language: of what it says.
        memory_tokens: of remembered words at most; facts are kept beyond that.
        reasks: how often it is asked again after a reply that is not understood.
        client: None for the one that all policies of the process share.
        api_key: where it is not in the environment; written nowhere.
        settings_file: YAML of model settings; None for `QUACK_MODELS`, or the shipped ones.
        **params: any field of `ModelSettings`, such as api_base, temperature, image_size, structured.

    Raises:
        ConfigError: where an option is not valid, or LiteLLM is not installed.
    """

    def __init__(
        self,
        model: str,
        modality: str = "image+text",
        persona: str | None = None,
        language: str = "English",
        memory_tokens: int = 4000,
        reasks: int = 2,
        client: Client | None = None,
        api_key: str | None = None,
        settings_file: str | os.PathLike[str] | None = None,
        **params: Any,
    ) -> None:
        name, given = split_name(model)
        # In a query "+" would be a space.
        self.modality = given.pop("modality", modality).replace(" ", "+")
        self.persona = given.pop("persona", persona)
        self.language = given.pop("language", language)
        self.memory_tokens = _whole("memory_tokens", given.pop("memory_tokens", memory_tokens), 0)
        self.reasks = _whole("reasks", given.pop("reasks", reasks), 0)
        self.model = name
        self.settings = ModelSettings.of(name, settings_file, OPTIONS, **{**params, **given})
        self._client = client
        self._api_key = Secret(api_key) if api_key else None
        self._check()
        self._seed = 0
        self._agent = ""
        self._info: Info | None = None

    def _check(self) -> None:
        if self.modality not in MODALITIES:
            allowed = ", ".join(map(repr, MODALITIES))
            raise ConfigError(f"modality={self.modality!r}: must be one of {allowed}")
        if self.modality != "text" and (self.settings.vision is False or self.settings.max_images < 2):
            raise ConfigError(f"modality={self.modality!r}: {self.model} takes no images; use modality='text'")
        if importlib.util.find_spec("litellm") is None:
            raise ConfigError(f"models as players need LiteLLM: {install('llm')}")
        check_provider(self.model, self.settings)

    def __repr__(self) -> str:
        return f"VLMPolicy({self.model!r}, modality={self.modality!r})"

    @property
    def client(self) -> Client:
        """What it asks through."""
        return self._client or shared_client()

    # --- the three faces ---------------------------------------------------------------------------------------------

    def reset(self, info: Info, seed: int) -> None:
        """Forget everything; a new game begins."""
        view, briefing = info["view"], info["briefing"]
        self._seed = seed
        self._info = None
        self._agent = briefing.agents[view.me]
        self.diary = Diary(briefing, view.me)
        self.prompts = Prompts(
            briefing, view, self.modality, self.persona, self.language, self.settings.structured, self.memory_tokens
        )
        self._images = ImageEncoder(briefing, self.settings.image_size) if self.modality != "text" else None

    def __call__(self, observation: Any, info: Info) -> Action:
        """The model's decision, waited for.

        Raises:
            ModelError: where the provider gives no reply.
            BudgetError: where the budget is spent.
        """
        return LOOP.run(self.decide(info))

    async def act(self, observation: Any, info: Info) -> Action:
        """The model's decision, awaited on any loop; raises as the call does."""
        return await LOOP.call(self.decide(info))

    # --- deciding ----------------------------------------------------------------------------------------------------

    async def decide(self, info: Info) -> Action:
        """The decision, with notes on how it came about."""
        view: View = info["view"]
        self._info = info
        notes = Notes()
        legal = info["legal_actions"]
        self._check_begun()
        if len(legal) == 1 and legal != ["speak()"]:  # nothing to decide: in transit, or dead (parallel form)
            if view.self_alive:
                self.diary.see(view)
            return NumberAction(info["briefing"].action(legal[0]), notes)
        question = self._question(view, legal)
        pictures = self._pictures(view)
        notes.images = {picture.digest: picture.png for picture in pictures}
        parsed = await self._asked(info, question, pictures, legal, notes)
        action, say = self._final(parsed, view, legal, notes)
        self.diary.did(view, action, say)
        number = info["briefing"].action(action)
        if info["briefing"].world.speech == TEXT:
            return WordsAction(number, say, notes)
        return NumberAction(number, notes)

    def _check_begun(self) -> None:
        if not self._agent:
            raise ConfigError(f"{self!r}: reset(info, seed) comes before the first decision of a game")

    def watch(self, observation: Any, info: Info, action: Action) -> None:
        """Take in a decision that was made for it (see `quack_agents.guided`); the model is not asked."""
        number, say = (action["action"], action.get("say")) if isinstance(action, dict) else (action, None)
        self._info = info
        self.diary.see(info["view"])
        self.diary.did(info["view"], info["briefing"].action_names[number], say)

    def _question(self, view: View, legal: list[str]) -> str:
        """The question; in free roam the memory ends with the previous decision, the rest being the situation."""
        if view.phase == FREE:
            question = self.prompts.question(view, self.diary, legal)
            self.diary.see(view)
            return question
        self.diary.see(view)
        return self.prompts.question(view, self.diary, legal)

    def _pictures(self, view: View) -> list[Picture]:
        if self._images is None:
            return []
        drawn = (("map", self._images.global_map(view)), ("room", self._images.local_view(view)))
        return [_picture(name, to_png(image)) for name, image in drawn]

    async def _asked(
        self, info: Info, question: str, pictures: list[Picture], legal: list[str], notes: Notes
    ) -> Parsed:
        """The decision of the first reply that is understood, or the last failure."""
        view: View = info["view"]
        parsed = Parsed()
        for attempt in range(self.reasks + 1):
            text = f"{question}\n\n{self.prompts.reask(view, parsed.detail)}" if attempt else question
            messages = self._messages(text, pictures)
            record = self._record(info, attempt, messages, pictures)
            notes.calls.append(record)
            try:
                reply = await self._completed(record, messages, self._schema(view, legal), (self._seed, attempt))
            except (ModelError, BudgetError) as fault:
                if isinstance(fault, BudgetError):
                    notes.calls.pop()
                fault.calls, fault.images = notes.calls, notes.images
                raise
            parsed = self._read(reply, info, legal)
            _fill(record, reply, parsed)
            if parsed.failure is None:
                return parsed
        return parsed

    async def _completed(
        self,
        record: dict[str, Any],
        messages: Messages,
        schema: dict[str, Any] | None,
        salt: tuple[Any, ...],
        settings: ModelSettings | None = None,
    ) -> Reply:
        """The reply to messages; a failure is entered in their record."""
        try:
            return await self.client.complete(
                self.model, messages, settings or self.settings, schema, self._api_key, salt=salt
            )
        except (ModelError, BudgetError) as fault:
            record["error"] = str(fault)
            if isinstance(fault, ModelError):
                record["retries"] = [fault.kind] * fault.retries
            raise

    def _read(self, reply: Reply, info: Info, legal: list[str]) -> Parsed:
        briefing, view = info["briefing"], info["view"]
        speech = briefing.world.speech == TEXT
        if view.phase == DISCUSSION and speech:
            name = briefing.names[view.me]
            return read_speech(reply.content, reply.reasoning, reply.finish_reason, name, briefing.config.max_say)
        most_say = briefing.config.max_say if speech and view.phase == FREE else 0
        grammar = Grammar(tuple(legal), briefing.action_names, view.phase == VOTING, most_say)
        return grammar.read(reply.content, reply.reasoning, reply.finish_reason)

    def _final(self, parsed: Parsed, view: View, legal: list[str], notes: Notes) -> tuple[str, str | None]:
        """The decision, or the declared fallback."""
        if parsed.failure is None:
            assert parsed.action is not None
            return parsed.action, parsed.say
        notes.fallback = f"{parsed.failure}: {parsed.detail}"
        if parsed.failure == TOO_LONG and parsed.action is not None:
            notes.fallback += "; it was shortened"
            notes.calls[-1]["fallback"] = notes.fallback
            return parsed.action, parsed.say
        notes.calls[-1]["fallback"] = notes.fallback
        return next(action for action in ("wait()", "skip()", "speak()", "nothing()") if action in legal), None

    # --- being probed ------------------------------------------------------------------------------------------------

    def beliefs(self, info: Info | None = None) -> dict[str, float]:
        """What the model answers when it is asked who is a Duck, at ``info`` or else its last decision; waited for.

        Players for whom there is no usable answer are left out.
        """
        info = info or self._info
        if info is None:
            return {}
        briefing, view = info["briefing"], info["view"]
        asked = inquiries(ProbeConfig(), briefing, view)
        found = [LOOP.run(self._inquired(info, inquiry)) for inquiry in asked]
        return {briefing.agents[path[0]]: value[1] for estimate in found for path, value in estimate.values.items()}

    async def abeliefs(self, info: Info, inquiry: Inquiry) -> Estimate:
        """The model's answer to a probe, awaited on any loop; memory, and everything else, stays as it is.

        Asked is a copy of what it would decide on at this ``info``. An answer that is not understood is asked for once
        more; what is then still missing, and whatever a provider does wrong, is a failure in the estimate.
        """
        return await LOOP.call(self._inquired(info, inquiry))

    def remember(self, info: Info, estimates: Iterable[Estimate]) -> None:
        """Take own answers into memory, for decisions to come."""
        view: View = info["view"]
        self.diary.estimates += [
            (view.tick, words) for e in estimates if (words := in_words(e, info["briefing"].names))
        ]

    async def _inquired(self, info: Info, inquiry: Inquiry) -> Estimate:
        view: View = info["view"]
        names = info["briefing"].names
        self._check_begun()
        diary = self.diary.copy()
        if view.phase != FREE:
            diary.see(view)
        question = self.prompts.inquiry(view, diary, inquiry)
        pictures = self._pictures(view)
        estimate = Estimate(inquiry, images={picture.digest: picture.png for picture in pictures})
        settings = self._roomy(inquiry)
        for attempt in range(2):
            text = f"{question}\n\n{self.prompts.repair(estimate.failures.values())}" if attempt else question
            messages = self._messages(text, pictures)
            record = self._record(info, attempt, messages, pictures, inquiry)
            estimate.calls.append(record)
            salt = ("probe", self._seed, inquiry.kind, inquiry.repeat, attempt)
            try:
                reply = await self._completed(record, messages, self._estimate_schema(inquiry), salt, settings)
            except (ModelError, BudgetError) as fault:
                estimate.fail(f"budget: {fault}" if isinstance(fault, BudgetError) else f"provider: {fault}")
                break
            reading = read_estimates(reply.content, reply.reasoning, reply.finish_reason, inquiry, names)
            estimate.take(reading, again=attempt > 0)
            failure, _, detail = next(iter(reading.faults.values()), "").partition(": ")
            _fill(record, reply, Parsed(None, None, None, failure or None, detail))
            if not estimate.failures:
                break
        return estimate

    def _roomy(self, inquiry: Inquiry) -> ModelSettings:
        """The settings, with room for an answer about everybody."""
        most = self.settings.max_tokens
        needed = len(inquiry.paths) * (TOKENS_A_REASON * inquiry.rationale + TOKENS_A_NUMBER * len(inquiry.answers))
        return self.settings if most is None else self.settings.model_copy(update={"max_tokens": max(most, needed)})

    def _estimate_schema(self, inquiry: Inquiry) -> dict[str, Any] | None:
        """The JSON schema of the answer to a probe, where the settings ask for one."""
        if not self.settings.structured:
            return None
        names = self.prompts.briefing.names
        fields: dict[str, Any] = {answer: {"type": "number", "minimum": 0, "maximum": 1} for answer in inquiry.answers}
        leaf = _object(fields | ({WHY: {"type": "string"}} if inquiry.rationale else {}))
        entries: dict[str, Any] = {}
        for seat, *about in inquiry.paths:
            entries.setdefault(names[seat], {}).update({names[of]: leaf for of in about})
        schema = _object({name: _object(inner) if inner else leaf for name, inner in entries.items()})
        return {"type": "json_schema", "json_schema": {"name": "estimates", "strict": True, "schema": schema}}

    # --- messages ----------------------------------------------------------------------------------------------------

    def _messages(self, text: str, pictures: list[Picture]) -> Messages:
        """The messages as they are sent."""
        system = self.prompts.system
        if self.settings.system_in_user:
            text = f"{system}\n\n{text}"
        content: Any = text
        if pictures:
            content = [{"type": "text", "text": text}, *(self._image_part(picture) for picture in pictures)]
        user = {"role": "user", "content": content}
        return [user] if self.settings.system_in_user else [{"role": "system", "content": system}, user]

    def _image_part(self, picture: Picture) -> dict[str, Any]:
        url = {"url": f"data:image/png;base64,{base64.b64encode(picture.png).decode('ascii')}"}
        if self.settings.image_detail:
            url["detail"] = self.settings.image_detail
        return {"type": "image_url", "image_url": url}

    def _schema(self, view: View, legal: list[str]) -> dict[str, Any] | None:
        """The JSON schema of the reply, where the settings ask for one."""
        if not self.settings.structured:
            return None
        text = self.prompts.briefing.world.speech == TEXT
        if view.phase == DISCUSSION and text:
            fields: dict[str, Any] = {"say": {"type": "string"}}
        else:
            fields = {"action": {"type": "string", "enum": legal}}
            if view.phase == FREE and text:
                fields["say"] = {"type": "string"}
        return {"type": "json_schema", "json_schema": {"name": "decision", "strict": True, "schema": _object(fields)}}

    def _record(
        self,
        info: Info,
        attempt: int,
        messages: Messages,
        pictures: list[Picture],
        inquiry: Inquiry | None = None,
    ) -> dict[str, Any]:
        """The record of a call, before its reply; images stand in it by hash. Those of probes say that they are."""
        view: View = info["view"]
        probe = {"inquiry": inquiry.kind, "repeat": inquiry.repeat} if inquiry is not None else {}
        return {
            "schema_version": SCHEMA,
            **({"kind": "probe", "probe": probe} if probe else {}),
            "agent": self._agent,
            "tick": view.tick,
            "phase": ("free_roam", "discussion", "voting", "over")[view.phase],
            "meeting": view.meeting - 1 if view.phase in (DISCUSSION, VOTING) else None,
            "round": view.round if view.phase == DISCUSSION else None,
            "attempt": attempt,
            "model": self.model,
            "modality": self.modality,
            "persona": self.persona,
            "language": self.language,
            "templates": version(probe=bool(probe)),
            "messages": _without_images(messages, pictures),
            "reply": None,
            "reasoning": None,
            "finish_reason": None,
            "parse": None,
            "prompt_tokens": None,
            "completion_tokens": None,
            "reasoning_tokens": None,
            "cost": None,
            "latency": None,
            "cached": False,
            "effective": None,
            "dropped": [],
            "retries": [],
            "fallback": None,
            "error": None,
        }


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object that has all of these fields and no others."""
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def in_words(estimate: Estimate, names: Sequence[str]) -> str:
    """An answer to a probe as it is remembered; "" where there is none."""
    answers = estimate.inquiry.answers
    told = []
    for path, value in estimate.values.items():
        shares = ", ".join(f"{answer} {round(100 * p)}%" for answer, p in zip(answers, value, strict=True))
        told.append(f"{' about '.join(names[seat] for seat in path)}: {shares}")
    return "; ".join(told)


def _fill(record: dict[str, Any], reply: Reply, parsed: Parsed) -> None:
    """Enter a reply and what was understood."""
    record["reply"] = reply.content
    for name in ("reasoning", "finish_reason", "prompt_tokens", "completion_tokens", "reasoning_tokens"):
        record[name] = getattr(reply, name)
    for name in ("cost", "latency", "cached"):
        record[name] = getattr(reply, name)
    record["effective"] = reply.effective | {"model": reply.model}
    record["dropped"], record["retries"] = list(reply.dropped), list(reply.retries)
    record["parse"] = parsed._asdict()


def _picture(name: str, png: bytes) -> Picture:
    return Picture(name, hashlib.blake2b(png, digest_size=12).hexdigest(), png)


def _without_images(messages: Messages, pictures: list[Picture]) -> Messages:
    """The messages with hashes in place of images."""
    if not pictures:
        return [dict(message) for message in messages]
    due = iter(pictures)
    shown: Messages = []
    for message in messages:
        content = message["content"]
        if not isinstance(content, str):
            content = [part if part["type"] == "text" else _named(next(due)) for part in content]
        shown.append({"role": message["role"], "content": content})
    return shown


def _named(picture: Picture) -> dict[str, Any]:
    return {"type": "image", "name": picture.name, "media_type": "image/png", "hash": picture.digest}


def _whole(name: str, value: Any, least: int) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = least - 1
    if isinstance(value, bool | float) or number < least:
        raise ConfigError(f"{name}={value!r}: must be a whole number from {least}")
    return number
