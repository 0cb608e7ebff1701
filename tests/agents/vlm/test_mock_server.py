"""The server on loopback: the protocol, the images, the player, the ways to misbehave."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import Any

import numpy as np
import pytest

from quack_agents.mock_server import MODES, Misbehaviour, MockServer
from quack_agents.mock_server.misbehaviour import REPLIES, spoil
from quack_agents.mock_server.player import Prompt, answer, first_step, read_prompt
from quack_env import ConfigError
from quack_env.render.png import data_uri
from quack_eval.claims.extract import Utterance
from quack_eval.claims.extract_prompt import messages, read
from quack_eval.claims.types import Claim

from .table import Serve


def post(server: MockServer, body: Any) -> tuple[int, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}/chat/completions", data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as fault:
        return fault.code, json.load(fault)


def message(*parts: Any) -> dict[str, Any]:
    return {"model": "mock", "messages": [{"role": "user", "content": list(parts) if len(parts) > 1 else parts[0]}]}


def image(url: str) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


def settled(server: MockServer) -> dict[str, Any]:
    """The counts once the server is done with every call; a client has its answer a moment earlier."""
    for _ in range(500):
        if not server.stats()["in_flight"]:
            break
        time.sleep(0.01)
    return server.stats()


def test_it_speaks_the_chat_protocol(serve: Serve) -> None:
    server = serve()
    status, body = post(server, message("Hi"))
    assert status == 200 and body["object"] == "chat.completion" and body["model"] == "mock"
    assert body["choices"][0]["message"]["role"] == "assistant" and body["choices"][0]["finish_reason"] == "stop"
    assert body["usage"]["total_tokens"] == body["usage"]["prompt_tokens"] + body["usage"]["completion_tokens"]
    with urllib.request.urlopen(f"{server.url}/models") as models:
        assert json.load(models)["data"][0]["id"] == "mock"
    assert settled(server) == {"calls": 1, "in_flight": 0, "most_in_flight": 1}


def test_it_streams_where_it_is_asked_to(serve: Serve) -> None:
    server = serve()
    body = json.dumps({**message("Hi"), "stream": True}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{server.url}/chat/completions", body)) as stream:
        first, last = stream.read().decode().strip().split("\n\n")
    chunk = json.loads(first.removeprefix("data: "))
    assert chunk["object"] == "chat.completion.chunk" and chunk["choices"][0]["delta"]["content"]
    assert last == "data: [DONE]"


def test_its_counts_are_at_the_address_that_it_tells(serve: Serve) -> None:
    server = serve()
    post(server, message("Hi"))
    settled(server)
    with urllib.request.urlopen(server.stats_url) as answer:
        assert json.load(answer) == {"calls": 1, "in_flight": 0, "most_in_flight": 1}


def test_images_count_by_their_pixels_and_are_checked(serve: Serve) -> None:
    server = serve()
    text = {"type": "text", "text": "Hi"}
    uri = data_uri(np.zeros((300, 300, 3), np.uint8))
    _, bare = post(server, message("Hi"))
    status, body = post(server, message(text, image(uri)))
    assert status == 200
    assert body["usage"]["prompt_tokens"] == bare["usage"]["prompt_tokens"] + 300 * 300 // 750
    for wrong in (
        uri.replace("image/png", "image/jpeg"),
        "http://x/y.png",
        uri.replace("base64,", "base64,!"),
        uri[:40],
    ):
        status, body = post(server, message(text, image(wrong)))
        assert status == 400 and body["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("body", [b"{", {"messages": []}, {"messages": [{"role": "duck", "content": ""}]}, {}, b"[]"])
def test_requests_that_are_none_are_refused(serve: Serve, body: Any) -> None:
    assert post(serve(), body)[0] == 400


def test_too_many_at_once_are_refused(serve: Serve) -> None:
    server = serve(max_concurrent=0)
    status, body = post(server, message("Hi"))
    assert status == 429 and body["error"]["code"] == "rate_limit_exceeded"


def test_misbehaviour_comes_when_it_is_told_to() -> None:
    assert [Misbehaviour.of("reset:first=2").is_due() for _ in range(1)] == [True]
    first, every = Misbehaviour.of("reset:first=2"), Misbehaviour.of("reset:every=3")
    assert [first.is_due() for _ in range(4)] == [True, True, False, False]
    assert [every.is_due() for _ in range(6)] == [False, False, True] * 2
    by_chance = Misbehaviour.of("reset:rate=0.5")
    assert 20 < sum(by_chance.is_due() for _ in range(100)) < 80
    for wrong in (
        "nonsense",
        "reset:x=1",
        "reset:first=x",
        "reset:first",
        "hang:rate=2",
        "hang:rate=nan",
        "reset:every=0",
    ):
        with pytest.raises(ConfigError, match="misbehave="):
            Misbehaviour.of(wrong)


def test_every_reply_mode_makes_a_reply() -> None:
    for mode in REPLIES:
        spoken = spoil(mode, "move(medbay)", ("wait()", "move(medbay)"))
        assert spoken.content is None or spoken.content != "move(medbay)"
    assert len(set(MODES)) == len(MODES) >= 30


def test_a_taken_port_is_a_clear_error(serve: Serve) -> None:
    with pytest.raises(ConfigError, match="port="):
        MockServer(port=serve().port)


def test_the_player_walks_to_the_nearest_task() -> None:
    corridors = {"a": {"b": 1, "c": 3}, "b": {"a": 1, "d": 1}, "c": {"a": 3}, "d": {"b": 1}}
    assert first_step(corridors, "a", {"c", "d"}) == "b"
    assert first_step(corridors, "a", {"x"}) == ""
    prompt = Prompt("action", legal=("wait()", "move(b)", "move(c)"), room="a", tasks={"c": False}, corridors=corridors)
    assert answer(prompt)[0] == "move(c)"


def test_the_player_kills_when_alone_and_reports_as_a_goose() -> None:
    duck = Prompt("action", duck=True, legal=("wait()", "kill(Bob)"), here=("Bob",))
    assert answer(duck)[0] == "kill(Bob)"
    assert answer(Prompt("action", legal=("wait()", "report()", "do_task()")))[0] == "report()"
    assert answer(Prompt("action", duck=True, bodies=True, legal=("wait()", "report()", "move(x)")))[0] == "move(x)"


def test_a_foreign_prompt_gets_an_answer_too() -> None:
    prompt = read_prompt("", "What is the capital of France?")
    assert prompt.kind == "other" and answer(prompt)[1]


# --- being asked for claims ------------------------------------------------------------------------------------------


def extracted(serve: Serve, words: str) -> list[Claim]:
    """What the extractor reads in the answer to its own prompt."""
    said = Utterance(words, "Alice", ("Alice", "Bob", "Bobby"), ("medbay", "storage"), tick=9)
    request = {"model": "mock", "messages": messages(said), "response_format": {"type": "json_schema"}}
    _, body = post(serve(), request)
    return read(body["choices"][0]["message"]["content"], said)


def test_it_answers_the_extractor_with_what_it_can_read_off_the_words(serve: Serve) -> None:
    words = "I was in medbay from tick 2 to 4. I saw Bobby in storage at tick 5. I found the body of Bob in storage."
    own = {"polarity": "positive", "attribution": "own"}
    seen = {"type": "sighting", "subject": "Alice", "room": "storage"}
    assert [claim.to_dict() for claim in extracted(serve, f"{words} Bobby is suspicious.")] == [
        {"type": "location", "subject": "Alice", "room": "medbay", "time": "from tick 2 to 4", **own},
        {**seen, "target": "Bobby", "of": "player", "time": "at tick 5", **own},
        {**seen, "target": "Bob", "of": "body", "time": None, **own},
        {"type": "accusation", "accuser": "Alice", "target": "Bobby", "confidence": "moderate"},
    ]


def test_words_that_it_cannot_read_make_no_claims(serve: Serve) -> None:
    assert extracted(serve, 'Ich war im "medbay"\n\nPlayers: [Bob]') == []


# --- being probed ----------------------------------------------------------------------------------------------------

PROBE = """You are {me}, a player in QUACK, a social deduction game.
Your role: {role}
Teams: 4 Geese, 1 Duck.
{before}
Answer with one JSON object of this form and nothing else. Numbers add up to 1.
{form}"""
LEAF = '{"goose": ?, "duck": ?}'
FORM = f'{{"Bob": {LEAF},\n "Eve": {LEAF}}}'


def probe(before: str = "", form: str = FORM, role: str = "Goose (innocent)") -> dict[str, Any]:
    prompt = read_prompt("", PROBE.format(me="Alice", role=role, before=before, form=form))
    assert prompt.kind == "probe"
    filled: dict[str, Any] = json.loads(answer(prompt)[1])
    return filled


def test_the_player_answers_probes_with_its_prior_and_suspects_the_accused() -> None:
    assert probe() == {"Bob": {"goose": 0.75, "duck": 0.25}, "Eve": {"goose": 0.75, "duck": 0.25}}
    accused = probe('- round 1, Bob: "Eve is suspicious."')
    assert accused["Eve"]["duck"] > 0.5 > accused["Bob"]["duck"] == 0.25
    seen = probe("Since the start, ticks 0-4:\n- you saw Eve: hall 3\n- you saw the body of Dan in hall at tick 3")
    assert seen["Eve"]["duck"] > seen["Bob"]["duck"]


def test_as_a_duck_the_player_knows() -> None:
    before = "Your fellow Ducks: Bob. Protect them."
    assert {name: p["duck"] for name, p in probe(before, role="Duck (impostor)").items()} == {"Bob": 0.98, "Eve": 0.02}


def test_the_player_fills_in_any_form() -> None:
    second = probe('- round 1, Bob: "Eve is suspicious."', f'{{"Bob": {{"Eve": {LEAF}, "Alice": {LEAF}}}}}')
    assert (second["Bob"]["Eve"]["duck"], second["Bob"]["Alice"]["duck"]) == (0.7, 0.25)
    plan = probe(form='{"Bob": {"hide": ?, "seek": ?, "vote for you": ?, "why": "..."}}')
    assert set(plan["Bob"]) == {"hide", "seek", "vote for you", "why"} and plan["Bob"]["why"] != "..."
    assert sum(share for share in plan["Bob"].values() if isinstance(share, float)) == pytest.approx(1)


VOTE = """You are Alice, a player in QUACK
Your role: Goose
Teams: 4 Geese, 1 Duck.
Your own estimates up to now, told to nobody:
- tick 3: Bob: goose 20%, duck 80%; Eve: goose 90%, duck 10%
- tick 5: Bob: goose 90%, duck 10%; Eve: goose 30%, duck 70%
- tick 5: Bob about Alice: goose 0%, duck 100%

- round 1, Eve: "Bob is suspicious."
YOUR VOTE, ONE OF
- vote(Bob)
- vote(Eve)
- skip()
"""


def test_only_a_sensitive_player_votes_by_the_latest_estimates_in_its_context() -> None:
    assert answer(read_prompt("", VOTE)) == ("vote(Bob)", "")
    assert answer(read_prompt("", VOTE, sensitive=True)) == ("vote(Eve)", "")
    dead = VOTE.replace("- vote(Eve)\n", "Known dead: Eve.\n").replace("YOUR VOTE", "Known dead: Eve.\nYOUR VOTE")
    assert answer(read_prompt("", dead, sensitive=True))[0] == "vote(Bob)"


def test_estimates_in_its_context_change_no_draw_of_another_player() -> None:
    bare = "\n".join(line for line in VOTE.splitlines() if "%" not in line and "estimates" not in line)
    assert read_prompt("", VOTE).draw == read_prompt("", bare + "\n").draw
