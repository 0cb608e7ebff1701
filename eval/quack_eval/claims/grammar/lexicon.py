"""The words that the grammar knows: verbs by what they assert, nouns, connectives, rooms' aliases, names' genders."""

from __future__ import annotations

from typing import NamedTuple

FINITE, BASE, GERUND, PARTICIPLE, EITHER = "finite", "base", "gerund", "participle", "either"
"""Forms of a verb; EITHER is a past form that is a participle as well ("moved")."""


def word_set(words: str) -> frozenset[str]:
    """The words of a list with blanks between them."""
    return frozenset(words.split())


class Verb(NamedTuple):
    """A form of a verb: what it asserts, its base form, and which form it is."""

    kind: str
    lemma: str
    form: str


# what a verb asserts of its subject: see, be (somewhere), move, leave (object is the origin), enter (object is the
# destination), find, report, call, task, say, put (object into a place), wait, aux, and other (nothing of interest)
_REGULAR = {
    "see": "spot glimpse notice watch observe witness encounter clock join recognize",
    "be": "stay remain start end linger camp idle park hover station isolate spawn position pair group",
    "move": "move pass head walk travel return cut cross loop rotate drop step hop cruise slip sneak bail"
    " continue proceed circle wander stroll rush stop transition cycle bounce pace backtrack retreat detour hurry"
    " dip pop double bolt vent trek zip"
    " depart dart follow push route dash jog roll climb duck poke shift escape trail chase navigate"
    " drift track tail",
    "enter": "enter reach visit arrive touch",
    "leave": "exit",
    "find": "discover stumble",
    "report": "report",
    "call": "call",
    "task": "task work calibrate scan refuel upload download",
    "say": "claim admit confirm state mention insist argue testify agree corroborate verify explain clarify reveal"
    " concede acknowledge confess describe recall remember allege assert declare deny",
    "put": "place pin position",
    "wait": "wait",
    "kill": "kill murder",
    "other": "vote trust believe suspect accuse vouch look seem appear match line check want need ask answer try happen"
    " help turn use name point act show talk listen add finish complete act open close"
    " pretend defend frame blame attack target eliminate eject skip skips decide assume guess worry bother"
    " contradict change clear care matter count support prove ignore cover address raise share stick"
    " align overlap scrutinize consider connect require fit adapt respond panic realize save twist press"
    " hit locate cast wonder figure land pressure fabricate invent force refuse resolve slam omit flip own"
    " sound jump trap guarantee confuse doubt hope wish expect plan note earn manage allow convince lock pick"
    " separate flag dodge rule narrow converge expose criss hand dismiss alibi"
    " restate miss commit nail urge apologize disagree reinforce risk gloss dismantle promise accept emphasize"
    " interact grant owe mirror offer tie deduce lean volunteer dispute refute",
}
_IRREGULAR = {
    "see": [
        ("see", "saw", "seen", "seeing", "sees"),
        ("meet", "met", "met", "meeting", "meets"),
        ("catch", "caught", "caught", "catching", "catches"),
    ],
    "be": [
        ("begin", "began", "begun", "beginning", "begins"),
        ("stand", "stood", "stood", "standing", "stands"),
        ("sit", "sat", "sat", "sitting", "sits"),
        ("hang", "hung", "hung", "hanging", "hangs"),
        ("spend", "spent", "spent", "spending", "spends"),
        ("keep", "kept", "kept", "keeping", "keeps"),
    ],
    "move": [
        ("go", "went", "gone", "going", "goes"),
        ("come", "came", "come", "coming", "comes"),
        ("run", "ran", "run", "running", "runs"),
        ("get", "got", "gotten", "getting", "gets"),
        ("flee", "fled", "fled", "fleeing", "flees"),
        ("sweep", "swept", "swept", "sweeping", "sweeps"),
        ("swing", "swung", "swung", "swinging", "swings"),
        ("sneak", "snuck", "snuck", "sneaking", "sneaks"),
        ("take", "took", "taken", "taking", "takes"),
        ("make", "made", "made", "making", "makes"),
        ("set", "set", "set", "setting", "sets"),
        ("lead", "led", "led", "leading", "leads"),
    ],
    "leave": [("leave", "left", "left", "leaving", "leaves")],
    "find": [("find", "found", "found", "finding", "finds")],
    "task": [("do", "did", "done", "doing", "does")],
    "say": [
        ("say", "said", "said", "saying", "says"),
        ("tell", "told", "told", "telling", "tells"),
        ("swear", "swore", "sworn", "swearing", "swears"),
    ],
    "put": [("put", "put", "put", "putting", "puts")],
    "other": [
        ("think", "thought", "thought", "thinking", "thinks"),
        ("know", "knew", "known", "knowing", "knows"),
        ("have", "had", "had", "having", "has"),
        ("give", "gave", "given", "giving", "gives"),
        ("hear", "heard", "heard", "hearing", "hears"),
        ("feel", "felt", "felt", "feeling", "feels"),
        ("mean", "meant", "meant", "meaning", "means"),
        ("panic", "panicked", "panicked", "panicking", "panics"),
        ("die", "died", "died", "dying", "dies"),
        ("win", "won", "won", "winning", "wins"),
        ("lose", "lost", "lost", "losing", "loses"),
        ("lie", "lied", "lied", "lying", "lies"),
        ("let", "let", "let", "letting", "lets"),
        ("break", "broke", "broken", "breaking", "breaks"),
        ("hold", "held", "held", "holding", "holds"),
        ("speak", "spoke", "spoken", "speaking", "speaks"),
        ("throw", "threw", "thrown", "throwing", "throws"),
        ("buy", "bought", "bought", "buying", "buys"),
        ("fall", "fell", "fallen", "falling", "falls"),
        ("forget", "forgot", "forgotten", "forgetting", "forgets"),
        ("shoot", "shot", "shot", "shooting", "shoots"),
        ("bring", "brought", "brought", "bringing", "brings"),
        ("build", "built", "built", "building", "builds"),
        ("draw", "drew", "drawn", "drawing", "draws"),
        ("choose", "chose", "chosen", "choosing", "chooses"),
        ("show", "showed", "shown", "showing", "shows"),
        ("understand", "understood", "understood", "understanding", "understands"),
        ("write", "wrote", "written", "writing", "writes"),
    ],
}
_BE_FORMS = {
    "is": FINITE, "are": FINITE, "was": FINITE, "were": FINITE, "am": FINITE, "'m": FINITE, "'re": FINITE,
    "be": BASE, "been": PARTICIPLE, "being": GERUND, "wasnt": FINITE, "werent": FINITE,
}  # fmt: skip

AUXILIARIES = frozenset({"do", "does", "did", "have", "has", "had", "'ve", "having"})
MODALS = frozenset(
    {"would", "could", "should", "might", "may", "will", "can", "ca", "wo", "'ll", "'d", "shall", "must", "cannot"}
)
ADVERBS = word_set(
    "also just really actually already still then definitely clearly personally literally directly only even"
    " ever first certainly simply explicitly specifically both all together alone again eventually quickly"
    " immediately briefly currently now soon once finally initially mostly basically probably likely apparently"
    " supposedly allegedly honestly physically always obviously absolutely conveniently technically completely"
    " fully too instead ended instantly suddenly recently previously genuinely safely straight openly entirely"
    " merely easily randomly naturally distinctly lately last shortly subsequently afterwards afterward"
    " deliberately barely nearly so possibly perhaps maybe surely totally perfectly firmly independently nicely"
    " purely strictly well pretty quite mutually somehow strongly partially accidentally casually blindly"
    " highly unfortunately hopefully falsely flatly truly visually theoretically potentially slightly magically"
    " narrowly desperately essentially actively automatically cleanly logically confidently repeatedly"
    " seriously practically continuously calmly intentionally simultaneously secretly presumably slowly mainly"
    " partly correctly wrongly suspiciously plainly frankly constantly admittedly implicitly freshly seemingly"
    " indirectly visibly quietly silently closely solidly effectively vaguely"
)
CONNECTIVES = word_set(
    "either how and or but so because since while when where who which that then before after until if though"
    " although as unless whereas plus once whether than except whenever wherever till yet meaning &"
)
TIME_LINKS = frozenset(["when", "before", "after", "until", "while", "as", "once", "since", "till", "whenever"])
PREPOSITIONS = word_set(
    "in at to into toward towards from through via by past near with on of inside within for around between"
    " across onto over under behind beside outside about against without beyond down up off out next upon"
    " during along alongside among amongst like after before"
)
DETERMINERS = word_set("the a an my your his her their our its this that these those any some no each every")
NOBODY = frozenset({"nobody", "noone"})
ANYBODY = frozenset({"anyone", "anybody"})
BODY_WORDS = frozenset({"body", "corpse", "bodies", "remains", "dead"})
CORPSE = frozenset({"body", "corpse"})
SOMEONE = frozenset({"person", "one", "player"})
ROUTE_NOUNS = word_set("route path loop movements movement way tour round trail itinerary circuit rotation sweep")
TASK_NOUNS = word_set(
    "task tasks scan wiring wires calibration calibrating distributor distributors filter cargo asteroids"
    " course cameras engines work job jobs fuel samples sample objectives objective chores repairs"
)
BELIEVING = frozenset(
    {"figure", "assume", "guess", "think", "believe", "bet", "suspect", "doubt", "imagine", "suppose", "pretend"}
)
"""Verbs after which the speaker gives an opinion and no statement."""
EYES = frozenset({"eyes", "eye"})
PLACE_NOUNS = frozenset({"location", "position", "whereabouts"})
UNTRUE = frozenset({"lie", "false", "untrue", "fabrication", "fabricated", "fake"})
SAID_NOUNS = word_set("story claim testimony account statement version timeline alibi alibis words info information")

ALIASES: dict[str, tuple[str, ...]] = {
    "oxygen": ("o2", "oxy"),
    "medbay": ("med bay", "med-bay", "med", "medical bay", "medical", "infirmary"),
    "electrical": ("elec", "electric", "electricals"),
    "navigation": ("nav", "navs", "navigations"),
    "cafeteria": ("caf", "cafe", "caff", "cafetaria"),
    "weapons": ("weps",),
    "storage": ("storages",),
    "security": ("secu",),
    "communications": ("comms", "comm"),
    "laboratory": ("lab",),
    "observatory": ("obs",),
    "captains_room": ("captain's room", "captains quarters"),
    "upper_engine": ("upper eng", "top engine"),
    "lower_engine": ("lower eng", "bottom engine"),
    "reactor": ("react",),
}
"""Further names of usual rooms."""

NOT_ROOMS = r"(?!\s+(?:cameras?|cams?|feeds?|footage|guard|logs?)\b)"
"""What must not follow a room's name: then it names a thing."""

ORDINARY = word_set("frank will mark may grace hope rose art bill rob pat chase drew grant jack miles faith joy dawn")
"""Names that are words too: in small letters they are words."""

FEMALE = word_set(
    "alice diana eve grace heidi ivy judy olivia peggy sybil trudy wendy anna emma mia zoe lucy sara sarah nina"
    " kate iris jane julia karen laura lena mary nora rosa ruby tina vera carol bella clara daisy ella fiona"
    " hannah"
)
MALE = word_set(
    "bob charlie frank henry dave oscar victor walter ivan jack john mark paul peter tom will adam ben"
    " carl dan erik fred george ian james karl leo max nick otto rob sam tim hank greg mike david chris"
)


_SINGLE = word_set("enter listen open happen visit target panic wander linger reveal mention own")
"""Verbs whose last letter is not doubled, though it looks like one that is."""


def _double(stem: str, ending: str) -> str:
    """The stem with its last letter doubled where English does so."""
    short = len(stem) > 2 and stem[-1] in "ptgnmbd" and stem[-2] in "aeiou" and stem[-3] not in "aeiou"
    return stem + stem[-1] * (short and stem not in _SINGLE) + ending


def _regular(lemma: str) -> list[tuple[str, str]]:
    """The forms of a regular verb."""
    to_i = lemma.endswith("y") and lemma[-2] not in "aeiou"
    if lemma.endswith("e"):
        past, gerund = lemma + "d", (lemma[:-1] if lemma[-2] != "e" else lemma) + "ing"
    else:
        past = lemma[:-1] + "ied" if to_i else _double(lemma, "ed")
        gerund = _double(lemma, "ing")
    present = lemma[:-1] + "ies" if to_i else lemma + ("es" if lemma.endswith(("s", "sh", "ch", "x")) else "s")
    return [(lemma, BASE), (past, EITHER), (gerund, GERUND), (present, FINITE)]


def _all_verbs() -> dict[str, Verb]:
    found: dict[str, Verb] = {}
    for kind, words in reversed(_REGULAR.items()):
        for lemma in words.split():
            for word, form in _regular(lemma):
                found[word] = Verb(kind, lemma, form)
    for kind, rows in reversed(_IRREGULAR.items()):
        for base, past, participle, gerund, present in rows:
            found[participle] = Verb(kind, base, PARTICIPLE)
            found[past] = Verb(kind, base, EITHER if past == participle else FINITE)
            found[base] = Verb(kind, base, BASE)
            found[gerund] = Verb(kind, base, GERUND)
            found[present] = Verb(kind, base, FINITE)
    del found["meeting"], found["beginning"]  # nouns
    found["lay"] = Verb("be", "lie_down", FINITE)
    found |= {word: Verb("is", "be", form) for word, form in _BE_FORMS.items()}
    return found


VERBS = _all_verbs()
"""Every form of every verb."""

NOUNS_TOO = word_set(
    "report reports claim claims vote votes move moves pass place places start end check checks point points"
    " match matches need look looks run walk visit loop route routes push kill kills cut cross name sound calls"
    " call work task tasks find sweep drop stop turn use plan hope doubt guess lead set witness show clear"
    " trust state hand account press help note cover answer target meeting lie lies rule flag position return"
    " step track line lock trail pressure force cast matter change share count add sighting spot spots left"
    " alibi alibis suspect suspects"
)
"""Forms that are nouns as often: verbs only where a verb must stand."""
