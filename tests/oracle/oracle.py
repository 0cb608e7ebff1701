"""The rules of the game once more, as slow and obvious as can be.

Written from the written rules only (`spec/rules.md`; the sections are named in the docstrings). It shares no line with
the package and imports nothing of it, so that a mistake in one of the two shows as a difference between them.

A player is its seat (an int), a room is its name, everything else is a dict, a list or a set.

An event is the tuple `(tick, kind, actor, target, room, to, seen_by, detail)`.
"""

from dataclasses import dataclass

import numpy

M64 = 2**64 - 1

ROLES = 0x9B2F6E1D4C8A7035
TASKS = 0xC1E4A97B35D0862F
PLACE = 0xE60D53B8A2917C4F
TURN = 0x8F7A21C6D94E5B03
SPEAK = 0xD3581B9E67F02AC4


# ---------------------------------------------------------------------------------------------------------------------
# Chance


def key_of(seed):
    """Setup, "Chance is a function of the seed": the key of a game."""
    return int(numpy.random.SeedSequence(seed).generate_state(1, numpy.uint64)[0])


def draw(key, purpose, index):
    """Setup, "Chance": the stateless 64-bit mixing function; gives 63 bits."""
    x = (key + purpose + index * 0x9E3779B97F4A7C15) & M64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & M64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & M64
    return (x ^ (x >> 31)) >> 1


def shuffle(key, purpose, index, n):
    """Setup, "Chance": a permutation of 0..n-1 from one draw."""
    d = draw(key, purpose, index)
    perm = list(range(n))
    for j in range(n - 1, 0, -1):
        q = d % (j + 1)
        d = d // (j + 1)
        perm[j], perm[q] = perm[q], perm[j]
    return perm


def pick(key, purpose, base, pool, count):
    """Setup, "drawn without repetition": `count` elements of `pool`; an exhausted pool is full again."""
    picked = []
    taken = []
    for p in range(count):
        free = [x for x in pool if x not in taken]
        if not free:
            taken = []
            free = list(pool)
        q = draw(key, purpose, base * 64 + p) % len(free)
        picked.append(free[q])
        taken.append(free[q])
    return picked


# ---------------------------------------------------------------------------------------------------------------------
# Options


@dataclass
class Options:
    """All settings of a game, with the defaults of rules.md."""

    n_players: int = 6
    n_ducks: int = 1
    n_tasks: int = 5
    task_ticks: int = 3
    kill_cooldown: int = 5
    max_ticks: int = 200
    discussion_rounds: int = 2
    meeting_calls: int | None = None
    witness_kills: bool = False
    reveal_role: bool = False
    reveal_votes: bool = False
    drop_dead_tasks: bool = False
    speech: str = "tokens"
    instant_hops: bool = False
    keep_progress: bool = False
    late_ending: bool = False


# ---------------------------------------------------------------------------------------------------------------------
# The game


class Oracle:
    """One game.

    `game_map` is `{"rooms": [...], "corridors": [(a, b, w), ...], "tasks": {room: task}, "button": room}`.

    `given` takes the place of chance (rules.md, "Chance can be given"); all of its keys are optional:
    `"ducks"`: seats; `"tasks"`: one list of rooms per seat; `"places"`: leg -> one room per seat (leg 0 is the spawn);
    `"turn_order"`: tick -> seats; `"speaking_order"`: meeting -> seats. The last three are dicts or callables; where a
    dict has no entry, or a callable gives None, chance draws.
    """

    def __init__(self, game_map, seed=0, given=None, options=None, **settings):
        """Setup: roles, tasks, spawn; then on to the first decision."""
        if options is None:
            options = Options(**settings)
        elif settings:
            raise TypeError("give either options or single settings")
        self.options = options
        self.map = game_map
        self.given = {} if given is None else given
        self.key = key_of(seed)
        self.seats = list(range(options.n_players))
        self._refuse_bad_settings()

        self.ducks = self._draw_ducks()
        self.tasks = self._draw_tasks()

        self.tick = 0
        self.phase = "free_roam"
        self.winner = None
        self.reason = None
        self.alive = dict.fromkeys(self.seats, True)
        self.room = dict.fromkeys(self.seats)
        self.travel = dict.fromkeys(self.seats)
        self.cooldown = {i: options.kill_cooldown if i in self.ducks else 0 for i in self.seats}
        self.progress = {i: dict.fromkeys(self.tasks[i], 0) for i in self.seats}
        self.bodies = {}
        self.body_seen_by = {}
        self.known_dead = {i: set() for i in self.seats}
        self.meetings = 0
        self.calls_left = options.n_ducks if options.meeting_calls is None else options.meeting_calls
        self.waiting_to_act = []
        self.round = 0
        self.speaking = []
        self.still_to_speak = []
        self.votes = {}
        self.current = None
        self.events = []

        self._place_the_living(leg=0)
        self._emit("leg_start", None, None, None, None, self._living(), 0)
        self._begin_tick()
        self._go_on_until_somebody_must_decide()

    # ---- what others may ask ----

    @property
    def over(self):
        """Ending: the game has an outcome."""
        return self.phase == "over"

    def legal(self):
        """Free roam, Meeting: the actions open to the current agent, as tuples; empty when the game is over."""
        if self.phase == "free_roam":
            return self._legal_in_free_roam(self.current)
        if self.phase == "discussion":
            return self._legal_in_discussion(self.current)
        if self.phase == "voting":
            return self._legal_in_voting(self.current)
        return set()

    def act(self, action):
        """Apply the current agent's action, go on to the next decision, return the events of all that."""
        action = tuple(action)
        if action not in self.legal():
            raise ValueError(f"{action} is not legal for {self.current} in phase {self.phase}")
        first_new = len(self.events)
        seat = self.current
        if self.phase == "free_roam":
            self._act_in_free_roam(seat, action)
        elif self.phase == "discussion":
            self._act_in_discussion(seat, action)
        else:
            self._act_in_voting(seat, action)
        self._go_on_until_somebody_must_decide()
        return self.events[first_new:]

    def snapshot(self):
        """The whole state as a new plain dict."""
        return {
            "tick": self.tick,
            "phase": self.phase,
            "winner": self.winner,
            "reason": self.reason,
            "alive": [self.alive[i] for i in self.seats],
            "room": [self.room[i] for i in self.seats],
            "travel": [self.travel[i] for i in self.seats],
            "cooldown": [self.cooldown[i] for i in self.seats],
            "progress": [dict(self.progress[i]) for i in self.seats],
            "bodies": dict(self.bodies),
            "meetings": self.meetings,
            "calls_left": self.calls_left,
            "current": self.current,
            "round": self.round,
            "speaking": list(self.speaking),
            "votes": dict(self.votes),
            "known_dead": [sorted(self.known_dead[i]) for i in self.seats],
        }

    # ---- setup ----

    def _refuse_bad_settings(self):
        """Setup: `1 <= m < n - m`; no more tasks than task rooms."""
        o = self.options
        if not 1 <= o.n_ducks < o.n_players - o.n_ducks:
            raise ValueError("n_ducks must satisfy 1 <= m < n - m")
        if not 0 <= o.n_tasks <= len(self._task_rooms()):
            raise ValueError("n_tasks must not be larger than the number of task rooms")
        if o.speech not in ("off", "tokens", "text"):
            raise ValueError("speech must be off, tokens or text")

    def _draw_ducks(self):
        """Setup: the first m seats of the role shuffle are Ducks."""
        if self.given.get("ducks") is not None:
            return set(self.given["ducks"])
        return set(shuffle(self.key, ROLES, 0, self.options.n_players)[: self.options.n_ducks])

    def _draw_tasks(self):
        """Setup: k tasks in distinct task rooms for each seat, fake ones for Ducks."""
        if self.given.get("tasks") is not None:
            return {i: list(self.given["tasks"][i]) for i in self.seats}
        return {i: pick(self.key, TASKS, i, self._task_rooms(), self.options.n_tasks) for i in self.seats}

    def _given_at(self, name, index):
        """Chance can be given: the given value of one draw, or None."""
        source = self.given.get(name)
        if source is None:
            return None
        if callable(source):
            return source(index)
        return source.get(index)

    def _places(self, leg):
        """Setup (spawn, leg 0) and Meeting (respawn, leg L after meeting L-1): one room per seat, the dead included."""
        places = self._given_at("places", leg)
        if places is None:
            places = pick(self.key, PLACE, leg, self.map["rooms"], self.options.n_players)
        return places

    def _turn_order(self):
        """Free roam 2: this tick's turn order."""
        order = self._given_at("turn_order", self.tick)
        if order is None:
            order = shuffle(self.key, TURN, self.tick, self.options.n_players)
        return list(order)

    def _speaking_order(self, meeting, caller):
        """Meeting: the caller first, then the other living in this meeting's speaking order."""
        order = self._given_at("speaking_order", meeting)
        if order is None:
            order = shuffle(self.key, SPEAK, meeting, self.options.n_players)
        return [caller] + [i for i in order if self.alive[i] and i != caller]

    def _place_the_living(self, leg):
        """Setup, Meeting: put every living player into its room of this leg."""
        places = self._places(leg)
        for i in self._living_in_seat_order():
            self.room[i] = places[i]
            self.travel[i] = None

    # ---- small questions ----

    def _task_rooms(self):
        """Map: the rooms with a task, in map order."""
        return [room for room in self.map["rooms"] if room in self.map["tasks"]]

    def _neighbours(self, room):
        """Map: an undirected weighted graph; {adjacent room: weight}."""
        found = {}
        for a, b, weight in self.map["corridors"]:
            if a == room:
                found[b] = weight
            if b == room:
                found[a] = weight
        return found

    def _living_in_seat_order(self):
        """Who lives, as a list."""
        return [i for i in self.seats if self.alive[i]]

    def _living(self):
        """Who lives, as a set of watchers."""
        return frozenset(self._living_in_seat_order())

    def _living_in(self, room):
        """Perception: the living in a room; nobody in transit is in a room."""
        return frozenset(i for i in self.seats if self.alive[i] and self.room[i] == room)

    def _living_ducks(self):
        """Ending: who counts on the Duck side."""
        return [i for i in self.seats if self.alive[i] and i in self.ducks]

    def _living_geese(self):
        """Ending: who counts on the Goose side."""
        return [i for i in self.seats if self.alive[i] and i not in self.ducks]

    def _emit(self, kind, actor, target, room, to, seen_by, detail=None):
        """Perception: write down what happened and who perceived it."""
        self.events.append((self.tick, kind, actor, target, room, to, frozenset(seen_by), detail))

    def _look_at_bodies(self):
        """Perception: every living agent in a room with a body sees it."""
        for victim, place in self.bodies.items():
            for i in self._living_in(place):
                self.body_seen_by[victim].add(i)
                self.known_dead[i].add(victim)

    def _die(self, seat):
        """Perception: the dead are nowhere and know nothing."""
        self.alive[seat] = False
        self.room[seat] = None
        self.travel[seat] = None
        self.known_dead[seat] = set()

    # ---- the course of the game ----

    def _go_on_until_somebody_must_decide(self):
        """Free roam, Meeting: set `current`; ticks in which nobody can act pass."""
        self.current = None
        while self.current is None and self.phase != "over":
            if self.phase == "free_roam":
                self._find_who_acts_or_finish_the_tick()
            elif self.phase == "discussion":
                self.current = self.still_to_speak[0]
            else:
                self.current = next(i for i in self._living_in_seat_order() if i not in self.votes)

    def _find_who_acts_or_finish_the_tick(self):
        """Free roam 2: the living that are in a room act; who died this tick or is in transit is passed over."""
        while self.waiting_to_act:
            seat = self.waiting_to_act[0]
            if self.alive[seat] and self.room[seat] is not None:
                self.current = seat
                return
            self.waiting_to_act.remove(seat)
        self._check_the_end(with_budget=True)
        if self.phase != "over":
            self._begin_tick()

    def _begin_tick(self):
        """Free roam 1: tick += 1, transit, arrivals, cooldowns; then the turn order."""
        self.tick += 1
        self._advance_travellers()
        for i in self._living_ducks():
            if self.cooldown[i] > 0:
                self.cooldown[i] -= 1
        self.waiting_to_act = self._turn_order()

    def _advance_travellers(self):
        """Free roam 1, Perception: arrivals of one tick commit together, so those who arrive see each other arrive."""
        arrived = []
        for i in self._living_in_seat_order():
            if self.travel[i] is None:
                continue
            origin, goal, left = self.travel[i]
            left = left - 1
            if left > 0:
                self.travel[i] = (origin, goal, left)
            else:
                self.travel[i] = None
                self.room[i] = goal
                arrived.append((i, origin, goal))
        for i, origin, goal in arrived:
            self._emit("arrive", i, None, origin, goal, self._living_in(goal))
        self._look_at_bodies()

    # ---- free roam ----

    def _legal_in_free_roam(self, seat):
        """Free roam, Actions: what this living agent in a room may do."""
        here = self.room[seat]
        actions = {("wait",)}
        for neighbour in self._neighbours(here):
            actions.add(("move", neighbour))
        if here in self.tasks[seat] and self.progress[seat][here] < self.options.task_ticks:
            actions.add(("do_task",))
        if here in self.bodies.values():
            actions.add(("report",))
        if here == self.map["button"] and self.tick >= 1 and self.calls_left > 0:
            actions.add(("call_meeting",))
        if seat in self.ducks and self.cooldown[seat] == 0:
            for j in self._living_in(here):
                if j not in self.ducks:
                    actions.add(("kill", j))
        return actions

    def _act_in_free_roam(self, seat, action):
        """Free roam 2: each action applies at once."""
        self.waiting_to_act.remove(seat)
        kind = action[0]
        if kind == "wait":
            self._emit("wait", seat, None, self.room[seat], None, {seat})
        elif kind == "move":
            self._move(seat, action[1])
        elif kind == "do_task":
            self._do_task(seat)
        elif kind == "kill":
            self._kill(seat, action[1])
        elif kind == "report":
            self._call_meeting(seat, "body")
        elif kind == "call_meeting":
            self.calls_left -= 1
            self._call_meeting(seat, "button")

    def _move(self, seat, goal):
        """Actions, `move`: in transit, in no room, arrives at the start of tick t + w; leaving resets a begun task."""
        here = self.room[seat]
        weight = self._neighbours(here)[goal]
        self._emit("depart", seat, None, here, goal, self._living_in(here))
        self._reset_unfinished(seat)
        if self.options.instant_hops and weight == 1:
            self.room[seat] = goal
            self._emit("arrive", seat, None, here, goal, self._living_in(goal))
            self._look_at_bodies()
        else:
            self.room[seat] = None
            self.travel[seat] = (here, goal, weight)

    def _reset_unfinished(self, seat):
        """Actions, `do_task`: unfinished progress is lost on leaving or when moved by a meeting [published: kept]."""
        if self.options.keep_progress:
            return
        for room in self.progress[seat]:
            if self.progress[seat][room] < self.options.task_ticks:
                self.progress[seat][room] = 0

    def _do_task(self, seat):
        """Actions, `do_task`: one unit per tick; done after `task_ticks`; Ducks emit the same events."""
        here = self.room[seat]
        self.progress[seat][here] += 1
        self._emit("task_step", seat, None, here, None, {seat}, self.progress[seat][here])
        if self.progress[seat][here] == self.options.task_ticks:
            self._emit("task_done", seat, None, here, None, {seat})
            self._check_the_end_after_a_change()

    def _kill(self, seat, victim):
        """Actions, `kill`; Perception: the kill itself is not witnessed unless `witness_kills`, only the body."""
        here = self.room[seat]
        self._die(victim)
        self.bodies[victim] = here
        self.body_seen_by[victim] = set()
        self.cooldown[seat] = self.options.kill_cooldown
        watchers = self._living_in(here) if self.options.witness_kills else {seat}
        self._emit("kill", seat, victim, here, None, watchers)
        self._emit("body_appeared", None, victim, here, None, self._living_in(here))
        self._look_at_bodies()
        self._check_the_end_after_a_change()

    # ---- meeting: call ----

    def _call_meeting(self, caller, why):
        """Free roam 3, Meeting: the tick ends at once; transit is cancelled; everybody learns who is dead."""
        number = self.meetings
        self.meetings += 1
        self.waiting_to_act = []
        put_back = self._put_travellers_back()
        self._learn_all_dead()
        self._emit("meeting_called", caller, None, None, None, self._living(), why)
        for i, origin, goal in put_back:
            self._emit("transit_cancelled", i, None, origin, goal, self._living_in(origin))
        if why == "body":
            self._emit_reported_bodies(caller)
        self.speaking = self._speaking_order(number, caller)
        self.votes = {}
        if self.options.speech == "off" or self.options.discussion_rounds == 0:
            self._begin_voting()
        else:
            self.phase = "discussion"
            self.round = 1
            self.still_to_speak = list(self.speaking)

    def _put_travellers_back(self):
        """Meeting: back to the room it left; Perception: it is in its room at the call, it sees and is seen."""
        put_back = []
        for i in self._living_in_seat_order():
            if self.travel[i] is not None:
                origin, goal, _ = self.travel[i]
                self.travel[i] = None
                self.room[i] = origin
                put_back.append((i, origin, goal))
        self._look_at_bodies()
        return put_back

    def _learn_all_dead(self):
        """Perception: at a meeting everyone learns which players are dead."""
        for i in self._living_in_seat_order():
            self.known_dead[i] = {j for j in self.seats if not self.alive[j]}

    def _emit_reported_bodies(self, caller):
        """Perception: victim and room are known to those who saw the body, and to nobody else."""
        here = self.room[caller]
        for victim in self.seats:
            if self.bodies.get(victim) == here:
                seen_by = {i for i in self.body_seen_by[victim] if self.alive[i]}
                self._emit("body_reported", caller, victim, here, None, seen_by)

    # ---- meeting: discussion ----

    def _legal_in_discussion(self, seat):
        """Meeting: one utterance a turn; the statements that can be made."""
        if self.options.speech == "text":
            return {("speak",)}
        statements = {("nothing",)}
        others = [j for j in self.seats if j != seat]
        for room in self.map["rooms"]:
            statements.add(("was_in", room))
            for j in others:
                statements.add(("saw", j, room))
        for room in self._task_rooms():
            statements.add(("did_task", room))
        for j in others:
            statements.add(("suspect", j))
            statements.add(("vouch", j))
        return statements

    def _act_in_discussion(self, seat, action):
        """Meeting: the same order in each of `discussion_rounds` rounds, then the vote."""
        self._emit_statement(seat, action)
        self.still_to_speak.remove(seat)
        if self.options.late_ending:
            self._check_the_end(with_budget=True)
            if self.phase == "over":
                return
        if self.still_to_speak:
            return
        if self.round < self.options.discussion_rounds:
            self.round += 1
            self.still_to_speak = list(self.speaking)
        else:
            self._begin_voting()

    def _emit_statement(self, seat, action):
        """Meeting: all the living hear what is said."""
        kind = action[0]
        target = None
        room = None
        if kind == "speak":
            kind = "speech"
        elif kind in ("was_in", "did_task"):
            room = action[1]
        elif kind in ("suspect", "vouch"):
            target = action[1]
        elif kind == "saw":
            target = action[1]
            room = action[2]
        self._emit("statement", seat, target, room, None, self._living(), kind)

    # ---- meeting: vote ----

    def _begin_voting(self):
        """Meeting, Vote: every living agent is asked, in seat order."""
        self.phase = "voting"
        self.round = 0
        self.still_to_speak = []
        self.votes = {}

    def _legal_in_voting(self, seat):
        """Meeting, Vote: a living other player, or skip."""
        return {("skip",)} | {("vote", j) for j in self._living_in_seat_order() if j != seat}

    def _act_in_voting(self, seat, action):
        """Meeting, Vote: nobody learns a vote before all are cast."""
        self.votes[seat] = "skip" if action[0] == "skip" else action[1]
        if all(i in self.votes for i in self._living_in_seat_order()):
            self._resolve_the_vote()

    def _resolve_the_vote(self):
        """Meeting, Vote: announce, eject or not, look at the end, then a new leg."""
        self._emit_votes()
        ejected, detail = verdict(list(self.votes.values()))
        if ejected is None:
            self._emit("no_ejection", None, None, None, None, self._living(), detail)
        else:
            self._eject(ejected)
        self.speaking = []
        self.votes = {}
        self._check_the_end(with_budget=True)
        if self.phase != "over":
            self._begin_leg()

    def _emit_votes(self):
        """Perception: nobody learns who voted for whom, unless `reveal_votes`."""
        for i in self._living_in_seat_order():
            target = None if self.votes[i] == "skip" else self.votes[i]
            seen_by = self._living() if self.options.reveal_votes else {i}
            self._emit("vote", i, target, None, None, seen_by)

    def _eject(self, seat):
        """Meeting, Vote; Perception: everybody learns who was ejected, its role only with `reveal_role`."""
        self._die(seat)
        for i in self._living_in_seat_order():
            self.known_dead[i].add(seat)
        role = "duck" if seat in self.ducks else "goose"
        self._emit("ejected", None, seat, None, None, self._living(), role if self.options.reveal_role else None)

    def _begin_leg(self):
        """Meeting: bodies vanish, survivors are placed (logged), cooldowns stay, free roam goes on."""
        self.bodies = {}
        for i in self._living_in_seat_order():  # the dead are not moved: what they had begun stays as it was
            self._reset_unfinished(i)
        self._place_the_living(leg=self.meetings)
        self.phase = "free_roam"
        self._emit("leg_start", None, None, None, None, self._living(), self.meetings)
        for i in self._living_in_seat_order():
            self._emit("respawn", i, None, self.room[i], None, self._living_in(self.room[i]))
        self._begin_tick()

    # ---- ending ----

    def _check_the_end_after_a_change(self):
        """Ending: checked after every state change [published: not in mid-tick]."""
        if not self.options.late_ending:
            self._check_the_end(with_budget=False)

    def _check_the_end(self, with_budget):
        """Ending: the first condition that holds, in the order of the rules, is the outcome."""
        timeout = [("geese", "timeout")] if with_budget and self._budget_is_spent() else []
        others = []
        if not self._living_ducks():
            others.append(("geese", "ducks ejected"))
        if len(self._living_ducks()) >= len(self._living_geese()):
            others.append(("ducks", "parity"))
        if self._all_tasks_are_done():
            others.append(("geese", "tasks"))
        outcomes = timeout + others if self.options.late_ending else others + timeout
        if outcomes:
            self._finish(outcomes[0])

    def _budget_is_spent(self):
        """Free roam 4: `max_ticks` is reached with at least one Goose alive."""
        return self.tick >= self.options.max_ticks and len(self._living_geese()) >= 1

    def _all_tasks_are_done(self):
        """Ending: all Goose tasks done, dead Geese's included unless `drop_dead_tasks`; never without Goose tasks."""
        geese = [i for i in self.seats if i not in self.ducks]
        if all(self.tasks[i] == [] for i in geese):
            return False
        for i in geese:
            if self.options.drop_dead_tasks and not self.alive[i]:
                continue
            for room in self.tasks[i]:
                if self.progress[i][room] < self.options.task_ticks:
                    return False
        return True

    def _finish(self, outcome):
        """Ending: the end is a value, Outcome(winner, reason)."""
        self.winner, self.reason = outcome
        self.phase = "over"
        self.waiting_to_act = []
        self.round = 0
        self.speaking = []
        self.still_to_speak = []
        self.votes = {}
        self._emit("game_over", None, None, None, None, self._living(), (self.winner, self.reason))


def verdict(votes):
    """Meeting, Vote: (who is ejected or None, "tie"/"skip"/None) from a list of targets and "skip"s."""
    skips = votes.count("skip")
    counts = {target: votes.count(target) for target in votes if target != "skip"}
    best = max(counts.values(), default=0)
    if skips >= best:
        return None, "skip"
    first = [target for target in counts if counts[target] == best]
    if len(first) > 1:
        return None, "tie"
    return first[0], None
