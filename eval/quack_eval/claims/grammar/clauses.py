"""Clauses of a sentence: a verb group, whom it is said of, and what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quack_eval.claims.grammar.beside import STOPS, fill
from quack_eval.claims.grammar.chunks import Persons, persons
from quack_eval.claims.grammar.discourse import Discourse
from quack_eval.claims.grammar.lexer import Token
from quack_eval.claims.grammar.lexicon import (
    ADVERBS,
    BASE,
    BODY_WORDS,
    CONNECTIVES,
    DETERMINERS,
    EITHER,
    EYES,
    FINITE,
    GERUND,
    PARTICIPLE,
    PLACE_NOUNS,
    PREPOSITIONS,
    ROUTE_NOUNS,
    SAID_NOUNS,
    SOMEONE,
    TIME_LINKS,
)
from quack_eval.claims.grammar.moods import judge_mood
from quack_eval.claims.grammar.parts import Clause, Sentence
from quack_eval.claims.grammar.verbless import ADDED
from quack_eval.claims.grammar.verbs import MAYBE, TO, Group, groups
from quack_eval.claims.grammar.words import kind_at, text_at, texts

_OBJECTS = frozenset({"me", "him", "them", "us"})
"""Pronouns that are never the subject of a finite verb."""
_DOING = ("find", "leave", "enter", "move", "is", "be", "task", "report", "see", "say", "put", "other")
_BEFORE_SUBJECT = (PREPOSITIONS | DETERMINERS | ADVERBS) - CONNECTIVES
"""Words beside a room or a time that is put before a subject."""
_LIGHT = ADVERBS - {"then", "so"}


def parse(tokens: list[Token], discourse: Discourse) -> Sentence:
    """The clauses of a sentence."""
    people = persons(tokens, discourse)
    by_token = {p: phrase for phrase in people for p in range(phrase.first, phrase.last + 1)}
    sentence = Sentence(tokens, people, [], by_token, discourse.voice)
    for group in groups(tokens, people):
        sentence.clauses.append(_clause(sentence, group))
    for number, clause in enumerate(sentence.clauses):
        after = sentence.clauses[number + 1] if number + 1 < len(sentence.clauses) else None
        clause.rest = (clause.group.last + 1, _end(sentence, clause, after.first if after else len(tokens)))
        clause.last = clause.rest[1] - 1
        fill(sentence, clause)
    for clause in list(sentence.clauses):
        _listed_on(sentence, clause)
    for clause in sentence.clauses:
        judge_mood(clause, sentence)
    return sentence


def _listed_on(sentence: Sentence, clause: Clause) -> None:
    """Gives "was in A before X left, and in B with Y" its second half: it goes on the clause before the dated one."""
    main, tokens = clause.above, sentence.tokens
    if clause.link not in TIME_LINKS or main is None or main.group.kind not in ("is", "be", "put"):
        return
    for p in range(clause.rest[0], clause.rest[1] - 3):
        words = texts(tokens, p, p + 4)
        inside = words[2] in ("in", "at") and kind_at(tokens, p + 3) == "room"
        inside |= kind_at(tokens, p + 2) == "room" and words[3] == "with"  # "A with X before he died, and B with Y"
        if words[0] == "," and words[1] in ("and", "then") and inside:
            other = replace(main, rest=(p + 1, clause.rest[1]), places=[], fronted=[], beside=[], owners=[], times=[])
            other.objects, other.front = list(main.objects), (0, 0)
            clause.rest = (clause.rest[0], p)
            for part in (clause, other):
                part.places, part.beside, part.times = [], [], []
                fill(sentence, part)
            sentence.clauses.insert(sentence.clauses.index(clause) + 1, other)
            return


def _end(sentence: Sentence, clause: Clause, last: int) -> int:
    """Where what belongs to a verb ends: before a reason or consequence, whose own verb may be unknown."""
    tokens = sentence.tokens
    for p in range(clause.group.last + 1, last):
        if tokens[p].text in ("so", "because", "which") and (text_at(tokens, p - 1) in STOPS or tokens[p].text != "so"):
            return p
        if tokens[p].text == "(" and text_at(tokens, last) not in ("", ")") and _measures(tokens[p + 1 : last]):
            return p
    return last


def _measures(tokens: Sequence[Token]) -> bool:
    """Whether nothing but two rooms stands here, right before a verb: "(medbay to storage [is two ticks])"."""
    rooms = sum(token.kind == "room" for token in tokens)
    return rooms == 2 and all(
        token.kind in ("room", "arrow") or token.text in ("-", "to", "the", "/") for token in tokens
    )


# --- subjects --------------------------------------------------------------------------------------------------------


def _clause(sentence: Sentence, group: Group) -> Clause:
    """The clause of a verb group, with its subject and where it begins."""
    above = sentence.clauses[-1] if sentence.clauses else None
    low = above.group.last + 1 if above else 0
    clause = Clause(group, above=above, before=above)
    p = _skip_back(sentence, group.first - 1, low)
    begin = group.first
    phrase = sentence.by_token.get(p) if p >= low else None
    word = text_at(sentence.tokens, p) if p >= low else ""
    if phrase is not None and above is not None and _is_object(sentence, phrase, above, group):
        pass
    elif phrase is not None and _is_subject(sentence, phrase, group, low):
        begin = phrase.first
        clause.phrase, clause.subject, clause.indefinite = phrase, phrase.who, phrase.indefinite
        _perceived(clause)
    elif word == "who" or (word == "that" and _person_before(sentence, p, low)):
        begin = p
        clause.link = "who"
        before = _person_before(sentence, p, low) or _the_one(sentence, group, p, low)
        clause.subject = before.who if before else ()
        clause.indefinite = before.indefinite if before else ""
    elif p < low or word in CONNECTIVES or word in STOPS or sentence.tokens[p].kind in ("arrow", "quote"):
        begin = _near(sentence, group.first, low)
        _inherit(clause, sentence, begin < group.first or _joined(sentence, group.first, low))
    elif group.form == GERUND and (teller := _teller(sentence, p)):
        clause.subject = clause.owner = teller
        clause.link = "of"
    elif (group.form == GERUND or group.mood == TO) and above is not None:
        _inherit(clause, sentence, False)
    elif above is None or not _done_by_somebody(above):  # not in "Bob finding the body in R makes sense"
        begin = _other_subject(clause, sentence, p, low)
    _link(clause, sentence, begin, low)
    return clause


def _done_by_somebody(above: Clause) -> bool:
    """Whether the clause before is all of a subject: "Bob finding the body in R [makes sense]"."""
    if above.group.form == PARTICIPLE and above.before is not None and above.phrase is None:
        above = above.before  # "Bob being the last seen with her in R [is odd]"
    return above.group.form == GERUND and above.group.kind in _DOING and above.phrase is not None


def _teller(sentence: Sentence, p: int) -> tuple[str, ...]:
    """Who did it in "Bob's story about going to R", "your claim of being in R"."""
    words = texts(sentence.tokens, p - 1, p + 1)
    if len(words) < 2 or words[0] not in SAID_NOUNS or words[1] not in ("about", "of"):
        return ()
    owner = sentence.by_token.get(p - 2)
    return owner.who if owner is not None and owner.owner else ()


def _is_subject(sentence: Sentence, phrase: Persons, group: Group, low: int) -> bool:
    """Whether a phrase for players before a verb is its subject."""
    object_ = phrase.owner or phrase.called or (phrase.pronoun in _OBJECTS and group.form == FINITE)
    return not object_ and (not _governed(sentence, phrase.first - 1, low) or _told_of(sentence, phrase, group))


def _is_object(sentence: Sentence, phrase: Persons, above: Clause, group: Group) -> bool:
    """Whether who stands between two verbs is not the subject of the second: "whoever killed Bob was near"."""
    if phrase.first != above.group.last + 1:
        return False
    unknown = text_at(sentence.tokens, above.group.first - 1) == "whoever"
    unknown |= group.mood == TO and above.group.kind in ("leave", "see", "find", "kill")  # "I left her to head to R"
    return unknown or (above.group.kind == "see" and _is_seen_only(sentence, above, group))


def _is_seen_only(sentence: Sentence, above: Clause, group: Group) -> bool:
    """Whether who was seen does not act: "seeing Bob is", "the claim that Eve saw Bob in R lines up"."""
    if above.group.form == GERUND:
        return group.form not in (BASE, GERUND)
    between = sentence.tokens[above.group.last + 1 : group.first]
    if group.form == FINITE and between[:1] and between[0].text in ("me", "him", "them", "us"):
        return True
    ends = any(token.kind == "room" for token in between) or _called_a_fact(sentence, above)
    return group.form == FINITE and group.kind in ("other", "is") and ends


def _called_a_fact(sentence: Sentence, clause: Clause) -> bool:
    """Whether a clause is called something before: "the fact that Eve never saw Bob [is odd]"."""
    at = clause.phrase.first - 1 if clause.phrase is not None else 0
    lead = texts(sentence.tokens, at - 1, at + 1)
    return lead[1:] == ["that"] and lead[0] in SAID_NOUNS | {"fact"}


def _skip_back(sentence: Sentence, p: int, low: int) -> int:
    """Back over adverbs, times, parentheses and `in ROOM` to what may be the subject."""
    tokens = sentence.tokens
    while p >= low:
        token = tokens[p]
        if p in sentence.by_token:
            return p
        if p > low and token.text == "all" and text_at(tokens, p - 1) == "at":
            p -= 2
        elif (
            token.kind == "time"
            or (token.kind == "word" and token.text in ADVERBS and token.text not in ("so", "then"))
            or (
                token.text == "then"
                and (phrase := sentence.by_token.get(p - 1)) is not None
                and p > low
                and not phrase.called
            )
        ):
            p -= 1
        elif token.text == ")":
            p = _open(tokens, p, low) - 1
        elif p > low and "self" in (token.text, text_at(tokens, p - 1)) and token.text in ("-", "self"):
            p -= 1  # "Bob self-reported"
        elif p - 3 > low and _own_account(tokens, p - (token.text == ",")):
            p -= 4 + (token.text == ",")  # "Bob, by his own account, was ..."
            p -= tokens[p].text == ","
        elif token.kind == "room" and p - 1 >= low and text_at(tokens, p - 1) in PREPOSITIONS:
            p -= 2
        elif (
            token.kind == "room"
            and p - 2 >= low
            and text_at(tokens, p - 1) == "the"
            and text_at(tokens, p - 2) in PREPOSITIONS
        ):
            p -= 3
        else:
            return p
    return p


def _own_account(tokens: Sequence[Token], p: int) -> bool:
    """Whether "by his own account" ends here."""
    return text_at(tokens, p - 1) == "own" and text_at(tokens, p - 3) == "by"


def _near(sentence: Sentence, first: int, low: int) -> int:
    """Where a clause without a subject of its own begins: before the adverbs at its verb."""
    while (
        first > low and kind_at(sentence.tokens, first - 1) == "word" and text_at(sentence.tokens, first - 1) in _LIGHT
    ):
        first -= 1
    return first


def _joined(sentence: Sentence, first: int, low: int) -> bool:
    """Whether a connective or a stop stands right before."""
    p = _near(sentence, first, low) - 1
    return p >= low and (sentence.tokens[p].text in CONNECTIVES or sentence.tokens[p].text in STOPS)


def _open(tokens: Sequence[Token], p: int, low: int) -> int:
    while p > low and tokens[p].text != "(":
        p -= 1
    return p


def _governed(sentence: Sentence, p: int, low: int) -> bool:
    """Whether a phrase is the object of the preposition before it and so no subject."""
    if p < low:
        return False
    word = sentence.tokens[p].text
    return (
        word in PREPOSITIONS
        and word not in CONNECTIVES
        and word not in ("like", "past", "within", "off", "out", "down", "up")
    )


def _the_one(sentence: Sentence, group: Group, p: int, low: int) -> Persons | None:
    """Who "the one who" is in "X is the one who did"; "the only one who saw" tells of the others."""
    above = sentence.clauses[-1] if sentence.clauses and group.kind != "see" else None
    one = any(token.text in SOMEONE for token in sentence.tokens[max(low, p - 2) : p])
    return above.phrase if one and above is not None and above.group.kind == "is" and not above.negative else None


def _told_of(sentence: Sentence, phrase: Persons, group: Group) -> bool:
    """Whether a gerund tells what somebody did: "with Bob being in R", "your timeline of Bob leaving R"."""
    before = texts(sentence.tokens, phrase.first - 2, phrase.first)
    told = before[-1:] in (["with"], ["of"], ["for"], ["about"]) and before[0] != "instead"
    told |= before[-1:] == ["by"] and group.kind in ("see", "is")  # "confirmed by Bob seeing her in R"
    told |= before[-1:] in (["between"], ["on"], ["from"]) and group.kind == "see"  # "based on Bob seeing her in R"
    return told and group.form == GERUND


def _person_before(sentence: Sentence, p: int, low: int) -> Persons | None:
    q = p - 1
    while q >= low and sentence.tokens[q].text in (",", "—", "("):
        q -= 1
    return sentence.by_token.get(q)


def _perceived(clause: Clause) -> None:
    """Marks "saw [Eve come in]": a bare verb or a gerund after what was seen."""
    above, form = clause.above, clause.group.form
    while above is not None and above.small and above.group.kind != "see":
        above = above.above
    if above is None or clause.group.mood == TO:
        return
    sees = above.group.kind in ("see", "find") or above.group.lemma in ("remember", "recall", "mention")
    sees |= above.group.lemma == "have" and bool(above.subject)  # "Bob's story has him entering" is told, not seen
    bare = form == BASE and above.group.kind == "see"
    if sees and (bare or form == GERUND) and clause.group.mood != MAYBE:
        clause.small = True
        clause.above = above


def _inherit(clause: Clause, sentence: Sentence, joined: bool) -> None:
    """The subject of a clause that states none: that of the clause before it, or the speaker's at the beginning."""
    above = clause.above
    group = clause.group
    before = clause.link_before(sentence)
    seers_own = group.kind in ("find", "report") and before in TIME_LINKS
    denied = sentence.tokens[group.first].text == "not" and group.last == group.first + 1
    if above is None:
        _begin(clause, sentence, joined)
    elif (seen := _acts_as_seen(clause, sentence, above, joined)) is not None:
        clause.subject, clause.small = seen, True
    elif above.small and (denied or group.form in (above.group.form, GERUND)) and not seers_own:
        clause.small = True
        clause.subject, clause.indefinite, clause.above = above.subject, above.indefinite, above.above
    elif before != "which":
        source = _gone_on(sentence, group, above, joined)
        while source.small and source.above is not None and (seers_own or group.form not in (BASE, GERUND)):
            source = source.above
        clause.subject, clause.indefinite = source.subject, source.indefinite
        clause.owner, clause.noun = source.owner, source.noun


def _begin(clause: Clause, sentence: Sentence, joined: bool) -> None:
    """The subject of a verb that begins a sentence: the speaker, or who is called before it."""
    called = [phrase for phrase in sentence.people if phrase.called and phrase.last < clause.group.first - 2]
    if called and clause.group.form == FINITE and clause.link_before(sentence) == ",":
        clause.subject, clause.phrase = called[-1].who, called[-1]  # "Bob, on the other hand, ends ..."
        return
    clause.link = "" if joined else "start"
    if not joined and clause.group.form in (FINITE, EITHER):
        clause.subject = (sentence.voice,)  # "Started in R, moved to S"


def _acts_as_seen(clause: Clause, sentence: Sentence, above: Clause, joined: bool) -> tuple[str, ...] | None:
    """Who acts in what was seen: "saw X in R, leaving", "X was seen entering R"; None where it is not seen."""
    form, before, sees = clause.group.form, clause.link_before(sentence), above.group.kind == "see"
    if form == GERUND and sees and above.group.passive:
        return above.subject
    seen = above.objects_of(sentence) if sees and above.group.lemma != "join" else ()
    if form in (GERUND, BASE) and seen and not joined:
        return seen
    if form != GERUND:
        return None
    goes_on = before in (",", "and", "—", ":", "again")  # "saw X in R, and then again entering S"
    one = _the_one_seen(sentence, above) if not joined or before == "," else ()
    return one or (seen if goes_on and not above.small else ()) or None


def _gone_on(sentence: Sentence, group: Group, above: Clause, joined: bool) -> Clause:
    """The clause that a verb goes on: the one before, but for what is only said on the way."""
    source = above
    if source.group.lemma == "do" and source.before is not None and source.group.last + 2 >= group.first:
        source = source.before
    if source.before is not None and source.link in TIME_LINKS and _goes_on_main(sentence, group):
        source = source.before
    if source.before is not None and _of_a_room(sentence, source) and group.form == FINITE:
        source = source.before  # "Bob passed through R and it was empty, then went to S"
    if source.before is not None and source.group.lemma == "die":
        source = source.before  # "came at the tick Bob died, then reported"
    if source.before is not None and joined and source.link in TIME_LINKS and source.before.group.kind == "kill":
        source = source.before  # "Bob killed her after I left and fled to R"
    return source


def _goes_on_main(sentence: Sentence, group: Group) -> bool:
    """Whether a verb goes on the clause before one of time: "went to R after Bob left, and found", ", then found"."""
    lead = texts(sentence.tokens, group.first - 2, group.first)
    return lead[-1] in ("then", ",") or lead == [",", "and"]


def _of_a_room(sentence: Sentence, clause: Clause) -> bool:
    """Whether a clause only tells how a room was: "it was empty", "the room was clear"."""
    tokens, p = sentence.tokens, clause.group.first - 1
    told = not clause.subject and clause.group.kind == "is"
    return told and (kind_at(tokens, p) == "room" or text_at(tokens, p) in ("it", "room", "which"))


def _the_one_seen(sentence: Sentence, seen: Clause) -> tuple[str, ...]:
    """Who acts after "Bob is the one I saw leaving R", "the one I saw was Bob, leaving R"."""
    told = seen.before
    if seen.group.kind == "is" and told is not None and told.phrase is not None and not seen.negative:
        lead = set(texts(sentence.tokens, told.phrase.first - 2, told.phrase.first))
        alone = told.group.kind == "see" and not told.objects and bool(lead & SOMEONE)
        return seen.objects_of(sentence) if alone else ()
    if seen.group.kind != "see" or seen.objects_of(sentence) or seen.phrase is None or told is None:
        return ()
    lead = set(texts(sentence.tokens, seen.phrase.first - 2, seen.phrase.first))
    named = told.group.kind == "is" and told.phrase is not None and not (told.negative or told.maybe)
    return told.subject if named and lead & SOMEONE else ()


def _other_subject(clause: Clause, sentence: Sentence, p: int, low: int) -> int:
    """A subject that is no player: where it begins; its noun and whose it is."""
    tokens = sentence.tokens
    begin = p
    if tokens[p].kind in ("room", "time"):
        if tokens[clause.group.first].value == ADDED:
            return p  # "storage was empty, medbay [was] empty"
        alone = (
            p > low and (text_at(tokens, p - 1) in CONNECTIVES or text_at(tokens, p - 1) in ("—", ";")) and p - 2 >= low
        )
        return p if alone and kind_at(tokens, p - 2) != "room" else clause.group.first
    while begin > low and _of_subject(sentence, begin - 1):
        begin -= 1
    words = {tokens[q].text for q in range(begin, p + 1)}
    owners = [phrase for phrase in sentence.people if phrase.owner and begin <= phrase.first <= p]
    clause.owner = owners[-1].who if owners else ()
    others = [phrase for phrase in sentence.people if not phrase.owner and begin <= phrase.first <= p]
    if words & BODY_WORDS and not _only_about(tokens, begin, p):
        clause.noun = "body"
        clause.owner = clause.owner or (others[-1].who if others else ())
    elif words & EYES:
        clause.noun = "eyes"
    elif words & PLACE_NOUNS:
        clause.noun = "place"
    elif words & {"task", "tasks"} and clause.owner:
        clause.noun = "task"
    elif words & ROUTE_NOUNS:
        clause.noun = "route"
    elif words & SAID_NOUNS:
        clause.noun = "said"
    return begin


def _only_about(tokens: Sequence[Token], begin: int, p: int) -> bool:
    """Whether a body only tells what a subject is about: "the timing around the body is tight"."""
    at = next(q for q in range(begin, p + 1) if tokens[q].text in BODY_WORDS)
    return any(token.text in ("around", "about", "near", "over", "on", "by") for token in tokens[begin:at])


def _of_subject(sentence: Sentence, p: int) -> bool:
    """Whether a token may stand inside a subject that is no player."""
    token = sentence.tokens[p]
    if token.kind in ("room", "time"):
        before = sentence.tokens[p - 1]
        return p == 0 or before.kind == "poss" or before.text in DETERMINERS or before.text == "of"
    return (
        token.text not in CONNECTIVES
        and token.text not in STOPS
        and token.text not in ("in", "at", "from", "to", "into", "there")
    )


def _link(clause: Clause, sentence: Sentence, begin: int, low: int) -> None:
    """The connective before the subject, and where what is put before it begins."""
    tokens = sentence.tokens
    p = begin
    while p > low:
        token = tokens[p - 1]
        if (
            token.kind in ("time", "room")
            or (token.kind == "word" and token.text in _BEFORE_SUBJECT)
            or (token.text == "after" and p < begin and tokens[p].kind == "room")
            or token.text == ","
        ):
            p -= 1
        else:
            break
    start = _front(tokens, p, begin) if clause.phrase is not None else begin
    clause.front = (start, begin)
    clause.first = start
    q = start - 1
    links = []
    while q >= low and (tokens[q].text in CONNECTIVES or tokens[q].text in STOPS or tokens[q].text in ADVERBS):
        if tokens[q].text == "that" and text_at(tokens, q - 1) in ("after", "before"):
            break
        if tokens[q].text in ("that", "this") and text_at(tokens, q + 1) in (":", ";", "—"):
            break  # "let me address that: Bob was in R"
        links.append(tokens[q].text)
        q -= 1
    clause.first = max(low, min(start, q + 1)) if links else start
    named = [word for word in links if word in CONNECTIVES and word not in ("and", "but", "so")]
    if not clause.link:
        others = [word for word in links if word != ")"] or links
        clause.link = named[0] if named else (others[-1] if others else "")


def _front(tokens: Sequence[Token], p: int, begin: int) -> int:
    """Where the room and time before a subject begin: only after a stop, a connective or at the beginning."""
    for start in range(p, begin):
        if text_at(tokens, start - 1) in ("and", "or") and kind_at(tokens, start - 2) == "room":
            continue
        opens = start == 0 or text_at(tokens, start - 1) in CONNECTIVES | STOPS
        inside = tokens[start:begin]
        if opens and tokens[start].text != "," and any(token.kind in ("room", "time") for token in inside):
            return start
    return begin
