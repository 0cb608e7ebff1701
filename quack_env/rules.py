"""The rules of the game (rules.md; paper section 3), once: plain functions over integers, lists and loops.

Every form of the environment runs these functions on a `World` and a `State`; nothing else changes a state. They use
no feature that a compiler of numeric Python would refuse. An adapter drives a game so:

    deal(world, state, key)
    while True:
        status = settle(world, state)      # CLOSED: a tick or a phase has ended (its state hash is due); call again
        if status == ASK: legal(...) shows what `state.current` may do; show(...); act(world, state, action)
        if status == DONE: the game is over
"""

from __future__ import annotations

from quack_env.chance import PLACE, ROLES, SPEAK, TASKS, TURN, pick, shuffle
from quack_env.kinds import (
    ARRIVE,
    BODY_APPEARED,
    BODY_REPORTED,
    CHAT,
    DEPART,
    EJECTED,
    GAME_OVER,
    KILL,
    LAPSED,
    LEG_START,
    MEETING_CALLED,
    NO_EJECTION,
    RESPAWN,
    SPEECH,
    STATEMENT,
    TASK_DONE,
    TASK_STEP,
    TRANSIT_CANCELLED,
    VOTE,
    WAIT,
)
from quack_env.outcome import DUCKS, GEESE, PARITY, TASKS_DONE, TIMEOUT
from quack_env.outcome import EJECTED as ALL_EJECTED
from quack_env.state import AWAY, DISCUSSION, FREE, NOBODY, OVER, VOTING, State
from quack_env.statements import decode
from quack_env.world import OFF, TOKENS, World

ASK, CLOSED, DONE = range(3)
TIE, SKIPPED = range(2)
BUTTON, BODY = range(2)
LOGGED = True
"""Whether a game's events are kept for a recorder; not in the batched form, whose states have no log."""


# --- chance: replaced by recorded draws when a game from elsewhere is replayed ---------------------------------------


def draw_turn_order(world: World, state: State) -> None:
    """This tick's turn order: a function of (seed, tick)."""
    shuffle(state.key, TURN, state.tick, world.n, state.order)


def draw_speaking_order(world: World, state: State) -> None:
    """All seats in this meeting's drawn order, written to `order`: a function of (seed, meeting)."""
    shuffle(state.key, SPEAK, state.meeting - 1, world.n, state.order)


def draw_places(world: World, state: State) -> None:
    """A room for every seat at the start of a leg: a function of (seed, leg)."""
    pick(state.key, PLACE, state.meeting, world.n, world.R, state.room, 0)


# --- events ----------------------------------------------------------------------------------------------------------


def emit(world: World, state: State, kind: int, actor: int, target: int, room: int, to: int, seen_by: int) -> None:
    """Record one event; those that somebody else may see go into the ring that views read."""
    event = kind | actor + 1 << 5 | target + 1 << 10 | room + 1 << 15 | to + 1 << 22 | seen_by << 29 | state.tick << 45
    if LOGGED:
        state.log.append(event)
    if actor >= 0:
        seen_by &= ~(1 << actor)
    if seen_by:
        state.ring[state.head % len(state.ring)] = event
        state.head += 1


def show(state: State, i: int) -> None:
    """Agent i decides now, on what it has been shown: its next view begins here."""
    state.cursor[i] = state.head


def leave_sight(world: World, state: State, i: int) -> None:
    """Agent i sets out, to perceive nothing on its way: unless it has yet to be shown something, no more is kept.

    (In the parallel form it may have witnessed something after its decision and before its turn.)
    """
    for p in range(max(state.cursor[i], state.head - world.ring), state.head):
        event = state.ring[p % len(state.ring)]
        if event >> 29 + i & 1 and (event >> 5 & 31) != i + 1:
            return
    state.cursor[i] = AWAY


def come_in_sight(state: State, i: int) -> None:
    """Agent i is in a room again."""
    if state.cursor[i] == AWAY:
        show(state, i)


# --- before the first tick -------------------------------------------------------------------------------------------


def deal(world: World, state: State, key: int) -> None:
    """Deal roles, tasks and spawn rooms from the key; tick 0 (rules.md "Setup")."""
    n = world.n
    state.key = key
    state.tick = state.winner = state.reason = state.turn = state.current = state.sealed = 0
    state.meeting = state.by_body = state.speakers = state.speaker = state.round = 0
    state.revealed = state.leg_tick = state.head = 0
    state.phase = FREE
    state.caller = NOBODY
    state.calls_left = world.button_budget
    state.alive = world.everyone
    state.ducks_alive = world.m
    state.geese_alive = n - world.m
    state.tasks_left = state.geese_alive * world.k

    shuffle(key, ROLES, 0, n, state.order)
    state.ducks = 0
    for p in range(world.m):
        state.ducks |= 1 << state.order[p]
    for i in range(n):
        pick(key, TASKS, i, world.k, world.T, state.task_room, i * world.k)
        state.cooldown[i] = world.kill_cooldown if state.ducks >> i & 1 else 0
        state.dest[i] = state.origin[i] = state.body_room[i] = state.vote[i] = NOBODY
        state.left[i] = state.body_seen[i] = state.known_dead[i] = 0
        state.at_scene[i] = state.left_scene[i] = state.cursor[i] = 0
        state.order[i] = state.speaking[i] = 0
    for s in range(n * world.k):
        state.task_room[s] = world.task_rooms[state.task_room[s]]
        state.progress[s] = 0
    for s in range(n * n):
        state.last_room[s] = NOBODY
        state.last_tick[s] = 0
    for s in range(len(state.said)):
        state.said[s] = 0
    for r in range(world.R):
        state.bodies[r] = 0
    place(world, state)
    emit(world, state, LEG_START, NOBODY, NOBODY, NOBODY, 0, state.alive)


def place(world: World, state: State) -> None:
    """Put the living in the drawn rooms of this leg; nobody is in transit."""
    draw_places(world, state)
    for r in range(world.R):
        state.here[r] = 0
    for i in range(world.n):
        state.dest[i] = state.origin[i] = NOBODY
        state.left[i] = 0
        if state.alive >> i & 1:
            state.here[state.room[i]] |= 1 << i
        else:
            state.room[i] = NOBODY
    state.turn = world.n + 1


# --- what is legal ---------------------------------------------------------------------------------------------------


def task_slot(world: World, state: State, i: int, room: int) -> int:
    """The slot of agent i's unfinished task in a room, or -1."""
    first = i * world.k
    for s in range(first, first + world.k):
        if state.task_room[s] == room:
            return s if state.progress[s] < world.task_ticks else -1
    return -1


def legal(world: World, state: State, i: int, mask: list[int]) -> None:
    """Set to 1 what agent i, living and asked now, may do (mask: A zeros)."""
    if state.phase == FREE:
        legal_roaming(world, state, i, mask)
    elif state.phase == VOTING:
        mask[world.act_skip] = 1
        for j in range(world.n):
            if j != i and state.alive >> j & 1:
                mask[world.act_vote + j] = 1
    elif world.speech == TOKENS:
        legal_statements(world, i, mask)
    else:
        mask[world.act_speak] = 1


def legal_roaming(world: World, state: State, i: int, mask: list[int]) -> None:
    """Free-roam actions of an agent in a room (rules.md "Free roam")."""
    room = state.room[i]
    mask[0] = 1
    for e in range(world.first_exit[room], world.first_exit[room + 1]):
        mask[1 + world.exits[e]] = 1
    if task_slot(world, state, i, room) >= 0:
        mask[world.act_task] = 1
    if state.bodies[room]:
        mask[world.act_report] = 1
    if room == world.button and state.calls_left > 0:
        mask[world.act_call] = 1
    if state.ducks >> i & 1 and state.cooldown[i] == 0:
        prey = state.here[room] & ~state.ducks
        if prey:
            for j in range(world.n):
                if prey >> j & 1:
                    mask[world.act_kill + j] = 1


def legal_statements(world: World, i: int, mask: list[int]) -> None:
    """One statement of the finite grammar, about anybody but oneself where somebody is named."""
    base = world.act_state
    for r in range(world.R):
        mask[base + r] = 1
    base += world.R
    for j in range(world.n):
        if j != i:
            for r in range(world.R):
                mask[base + j * world.R + r] = 1
    base += world.n * world.R
    for t in range(world.T):
        mask[base + world.task_rooms[t]] = 1
    base += world.R
    for j in range(world.n):
        if j != i:
            mask[base + j] = 1
            mask[base + world.n + j] = 1
    mask[base + 2 * world.n] = 1


# --- from one decision to the next -----------------------------------------------------------------------------------


def settle(world: World, state: State) -> int:
    """Advance to the next decision (ASK), the end of a tick or phase (CLOSED) or the end of the game (DONE)."""
    if state.sealed:
        state.sealed = 0
        return CLOSED
    if state.phase == OVER:
        return DONE
    if state.phase == FREE:
        if state.turn > world.n:
            begin_tick(world, state)
        for turn in range(state.turn, world.n):
            i = state.order[turn]
            if state.room[i] >= 0:  # living, and not in transit
                state.turn = turn
                state.current = i
                return ASK
        state.turn = world.n + 1
        check_end(world, state, 1)
        state.sealed = 0
        return CLOSED
    if state.phase == DISCUSSION:
        state.current = state.speaking[state.speaker]
        return ASK
    i = 0
    while not state.alive >> i & 1 or state.vote[i] != NOBODY:
        i += 1
    state.current = i
    return ASK


def begin_tick(world: World, state: State) -> None:
    """Start a tick: transit advances, arrivals commit together, cooldowns run, a turn order is drawn."""
    state.tick += 1
    arrived = 0
    for i in range(world.n):
        left = state.left[i]
        if left:
            state.left[i] = left - 1
            if left == 1:
                arrived |= 1 << i
                state.room[i] = state.dest[i]
                state.here[state.dest[i]] |= 1 << i
        if state.cooldown[i] and state.alive >> i & 1:
            state.cooldown[i] -= 1
    if arrived:
        for i in range(world.n):
            if arrived >> i & 1:
                come_in_sight(state, i)
        for i in range(world.n):
            if arrived >> i & 1:
                arrive(world, state, i)
    draw_turn_order(world, state)
    state.turn = 0


def act(world: World, state: State, action: int) -> None:
    """Apply a legal action of the agent asked now."""
    i = state.current
    if state.phase == FREE:
        act_roaming(world, state, i, action)
        if state.phase == FREE:
            state.turn += 1
    elif state.phase == DISCUSSION:
        act_speaking(world, state, i, action)
    else:
        state.vote[i] = world.n if action == world.act_skip else action - world.act_vote
        for j in range(world.n):
            if state.alive >> j & 1 and state.vote[j] == NOBODY:
                return
        count_votes(world, state)


def act_roaming(world: World, state: State, i: int, action: int) -> None:
    """One free-roam action; it applies at once."""
    room = state.room[i]
    if action == 0:
        emit(world, state, WAIT, i, NOBODY, room, NOBODY, 1 << i)
    elif action < world.act_task:
        move(world, state, i, action - world.act_move)
    elif action == world.act_task:
        do_task(world, state, i)
    elif action == world.act_report:
        begin_meeting(world, state, i, BODY)
    elif action == world.act_call:
        state.calls_left -= 1
        begin_meeting(world, state, i, BUTTON)
    else:
        kill(world, state, i, action - world.act_kill)


def chat(world: World, state: State, i: int) -> None:
    """Agent i says something in its room, before its action applies; the living who are there hear it."""
    room = state.room[i]
    emit(world, state, CHAT, i, NOBODY, room, NOBODY, state.here[room])


def lapse(world: World, state: State, action: int) -> None:
    """An action chosen at the start of the tick has become illegal (parallel form): the agent waits."""
    i = state.current
    emit(world, state, LAPSED, i, NOBODY, state.room[i], action, 1 << i)
    act(world, state, 0)


# --- free roam -------------------------------------------------------------------------------------------------------


def part(world: World, state: State, i: int) -> None:
    """Agent i is about to leave its room: it and those there remember having seen each other here."""
    room = state.room[i]
    others = state.here[room] & ~(1 << i)
    if others:
        scene = state.bodies[room]
        n = world.n
        for j in range(n):
            if others >> j & 1:
                state.last_room[i * n + j] = state.last_room[j * n + i] = room
                state.last_tick[i * n + j] = state.last_tick[j * n + i] = state.tick
                if scene:
                    state.at_scene[j] |= 1 << i


def move(world: World, state: State, i: int, to: int) -> None:
    """Leave for an adjacent room; after the corridor's weight in ticks the agent is there."""
    room = state.room[i]
    there = state.here[room]
    others = there & ~(1 << i)
    forget_step(world, state, i, room)
    if others:
        part(world, state, i)
    emit(world, state, DEPART, i, NOBODY, room, to, there)
    state.here[room] = others
    state.origin[i] = room
    state.dest[i] = to
    ticks = world.weight[room * world.R + to]
    if ticks == 1 and world.instant_hops:
        state.room[i] = to
        state.here[to] |= 1 << i
        arrive(world, state, i)
    else:
        state.room[i] = NOBODY
        state.left[i] = ticks
        leave_sight(world, state, i)


def arrive(world: World, state: State, i: int) -> None:
    """Agent i has come in: those in the room, all arrivals of this instant among them, see it."""
    room = state.room[i]
    came_from = state.origin[i]
    state.origin[i] = state.dest[i] = NOBODY
    emit(world, state, ARRIVE, i, NOBODY, came_from, room, state.here[room])
    if state.bodies[room]:
        see_bodies(world, state, room)
    if state.bodies[came_from]:
        for v in range(world.n):
            if state.here[room] >> v & 1 and v != i:
                for b in range(world.n):
                    if state.body_room[b] == came_from and state.body_seen[b] >> v & 1:
                        state.left_scene[v] |= 1 << i


def see_bodies(world: World, state: State, room: int) -> None:
    """Everybody in the room sees its bodies, and each other beside them."""
    n = world.n
    there = state.here[room]
    for b in range(n):
        if state.body_room[b] == room:
            new = there & ~state.body_seen[b]
            state.body_seen[b] |= there
            for v in range(n):
                if new >> v & 1:
                    state.known_dead[v] |= 1 << b
                    for j in range(n):
                        if (
                            j != b
                            and state.last_room[v * n + j] == room
                            and state.last_tick[v * n + j] >= state.leg_tick
                        ):
                            state.left_scene[v] |= 1 << j
    for v in range(n):
        if there >> v & 1:
            state.at_scene[v] |= there & ~(1 << v)


def forget_step(world: World, state: State, i: int, room: int) -> None:
    """Leaving a room resets the unfinished progress there: the ticks must be consecutive."""
    if not world.keep_progress:
        s = task_slot(world, state, i, room)
        if s >= 0:
            state.progress[s] = 0


def do_task(world: World, state: State, i: int) -> None:
    """One unit of the own task in this room; a Duck's fake task looks the same and never counts."""
    room = state.room[i]
    s = task_slot(world, state, i, room)
    state.progress[s] += 1
    emit(world, state, TASK_STEP, i, NOBODY, room, state.progress[s], 1 << i)
    if state.progress[s] == world.task_ticks:
        emit(world, state, TASK_DONE, i, NOBODY, room, NOBODY, 1 << i)
        if not state.ducks >> i & 1:
            state.tasks_left -= 1
            check_end(world, state, 0)


def kill(world: World, state: State, i: int, j: int) -> None:
    """Duck i kills Goose j, who is in its room; the body lies there until the next meeting is over."""
    room = state.room[i]
    n = world.n
    for v in range(n):
        if state.here[room] >> v & 1 and v != j:
            state.last_room[v * n + j] = room
            state.last_tick[v * n + j] = state.tick
    die(world, state, j)
    state.bodies[room] |= 1 << j
    state.body_room[j] = room
    state.cooldown[i] = world.kill_cooldown
    there = state.here[room]
    emit(world, state, KILL, i, j, room, NOBODY, there if world.witness_kills else 1 << i)
    emit(world, state, BODY_APPEARED, NOBODY, j, room, NOBODY, there)
    see_bodies(world, state, room)
    check_end(world, state, 0)


def die(world: World, state: State, j: int) -> None:
    """Seat j leaves the game."""
    state.here[state.room[j]] &= ~(1 << j)
    state.room[j] = NOBODY
    state.alive &= ~(1 << j)
    if state.ducks >> j & 1:
        state.ducks_alive -= 1
    else:
        state.geese_alive -= 1
        if world.drop_dead_tasks:
            for s in range(j * world.k, (j + 1) * world.k):
                if state.progress[s] < world.task_ticks:
                    state.tasks_left -= 1


# --- meeting ---------------------------------------------------------------------------------------------------------


def begin_meeting(world: World, state: State, caller: int, reason: int) -> None:
    """All transit is cancelled, all learn who is dead, a speaking order is fixed (rules.md "Meeting")."""
    n = world.n
    scene = state.room[caller]
    state.caller = caller
    state.by_body = reason
    state.meeting += 1
    returned = 0
    for i in range(n):
        if state.left[i]:
            returned |= 1 << i
            state.left[i] = 0
            state.room[i] = state.origin[i]
            state.here[state.room[i]] |= 1 << i
            come_in_sight(state, i)
    emit(world, state, MEETING_CALLED, caller, NOBODY, NOBODY, reason, state.alive)
    for i in range(n):
        if returned >> i & 1:
            room = state.room[i]
            emit(world, state, TRANSIT_CANCELLED, i, NOBODY, room, state.dest[i], state.here[room])
            state.origin[i] = state.dest[i] = NOBODY
            if state.bodies[room]:
                see_bodies(world, state, room)
    if reason == BODY:
        for b in range(n):
            if state.body_room[b] == scene:
                emit(world, state, BODY_REPORTED, caller, b, scene, NOBODY, state.body_seen[b] & state.alive)
    dead = world.everyone & ~state.alive
    for i in range(n):
        state.known_dead[i] |= dead
    order_speakers(world, state)
    state.phase = DISCUSSION
    state.round = 1
    state.speaker = 0
    for s in range(len(state.said)):
        state.said[s] = 0
    state.sealed = 1
    if world.speech == OFF:
        begin_vote(world, state)


def order_speakers(world: World, state: State) -> None:
    """The caller first, then the other living in the drawn order (the turn order is spent: its list holds the draw)."""
    draw_speaking_order(world, state)
    state.speaking[0] = state.caller
    count = 1
    for p in range(world.n):
        j = state.order[p]
        if j != state.caller and state.alive >> j & 1:
            state.speaking[count] = j
            count += 1
    for p in range(count, world.n):
        state.speaking[p] = NOBODY
    state.speakers = count


def act_speaking(world: World, state: State, i: int, action: int) -> None:
    """One utterance of the speaker; everybody living hears it."""
    kind = SPEECH
    target = room = NOBODY
    if action >= world.act_state:
        code = action - world.act_state
        state.said[(state.round - 1) * world.n + i] = code + 1
        kind, target, room = decode(world, code)
    emit(world, state, STATEMENT, i, target, room, kind, state.alive)
    state.speaker += 1
    if state.speaker == state.speakers:
        state.speaker = 0
        state.round += 1
        if state.round > world.rounds:
            begin_vote(world, state)
    if world.late_ending:
        check_end(world, state, 1)


def begin_vote(world: World, state: State) -> None:
    """Every living agent votes; nobody learns a vote before all are cast."""
    state.phase = VOTING
    state.round = 0
    state.sealed = 1
    for i in range(world.n):
        state.vote[i] = NOBODY


def count_votes(world: World, state: State) -> None:
    """Plurality is ejected; a tie for first place, or skip at or above it, ejects nobody."""
    n = world.n
    best = 0
    chosen = NOBODY
    tied = 0
    for j in range(n):
        count = 0
        for i in range(n):
            if state.alive >> i & 1 and state.vote[i] == j:
                count += 1
        if count > best:
            best = count
            chosen = j
            tied = 0
        elif count == best:
            tied = 1
    skips = 0
    for i in range(n):
        if state.alive >> i & 1:
            vote = state.vote[i]
            skips += int(vote == n)
            target = NOBODY if vote == n else vote
            emit(world, state, VOTE, i, target, NOBODY, NOBODY, state.alive if world.reveal_votes else 1 << i)
    state.sealed = 1
    if skips >= best:
        emit(world, state, NO_EJECTION, NOBODY, NOBODY, NOBODY, SKIPPED, state.alive)
    elif tied:
        emit(world, state, NO_EJECTION, NOBODY, NOBODY, NOBODY, TIE, state.alive)
    else:
        eject(world, state, chosen)
    check_end(world, state, 1)
    if state.phase != OVER:
        begin_leg(world, state)


def eject(world: World, state: State, j: int) -> None:
    """Seat j is voted out; its role is shown only where the config says so."""
    part(world, state, j)
    die(world, state, j)
    role = NOBODY
    if world.reveal_role:
        state.revealed |= 1 << j
        role = state.ducks >> j & 1
    for i in range(world.n):
        if state.alive >> i & 1:
            state.known_dead[i] |= 1 << j
    emit(world, state, EJECTED, NOBODY, j, NOBODY, role, state.alive)


def begin_leg(world: World, state: State) -> None:
    """Bodies vanish, unfinished progress is lost, survivors are placed anew; cooldowns stay."""
    n = world.n
    for i in range(n):
        if state.alive >> i & 1:
            part(world, state, i)
            forget_step(world, state, i, state.room[i])
    for i in range(n):
        state.body_room[i] = NOBODY
    for r in range(world.R):
        state.bodies[r] = 0
    place(world, state)
    state.phase = FREE
    state.leg_tick = state.tick
    emit(world, state, LEG_START, NOBODY, NOBODY, NOBODY, state.meeting, state.alive)
    for i in range(n):
        if state.alive >> i & 1:
            room = state.room[i]
            emit(world, state, RESPAWN, i, NOBODY, room, NOBODY, state.here[room])


# --- ending ----------------------------------------------------------------------------------------------------------


def check_end(world: World, state: State, whole: int) -> None:
    """End the game if it is decided (rules.md "Ending"); `whole`: a whole tick or vote is played out.

    With `late_ending` nothing is looked at before a whole tick, speech or vote, and the tick budget comes first.
    """
    if world.late_ending:
        if not whole and state.phase == FREE:
            return
        if whole and state.tick >= world.max_ticks and state.geese_alive > 0:
            end(world, state, GEESE, TIMEOUT)
            return
    if state.ducks_alive == 0:
        end(world, state, GEESE, ALL_EJECTED)
    elif state.ducks_alive >= state.geese_alive:
        end(world, state, DUCKS, PARITY)
    elif state.tasks_left == 0 and world.k > 0:
        end(world, state, GEESE, TASKS_DONE)
    elif whole and state.tick >= world.max_ticks:
        end(world, state, GEESE, TIMEOUT)


def end(world: World, state: State, winner: int, reason: int) -> None:
    """The game is over."""
    state.winner = winner
    state.reason = reason
    state.phase = OVER
    state.round = 0
    state.sealed = 1
    emit(world, state, GAME_OVER, NOBODY, NOBODY, NOBODY, winner * 8 + reason, state.alive)
