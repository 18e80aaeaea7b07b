"""Merging statements that are about one relation: keys and uniqueness (constraints 22 to 27, inference 15).

Two statements under one id are one relation, and so are two generations of one entity by one activity; what
the one doesn't give it has from the other, and that may make further statements one. This goes on until
nothing changes. Each statement is merged into another at most once, the lesser group into the greater, so all
takes n log n steps at most, and it ends whatever the document. Where two values can't be one, that is a
conflict, and both stay as they are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple, TypeVar

from provmodel.constraints import rules
from provmodel.constraints.facts import STATED_OR_NOT, Arguments, Facts, is_blank
from provmodel.document import ABSENT_MARK, named
from provmodel.relations import DERIVATION, END, GENERATION, INFLUENCE, INVALIDATION, MENTION, START, TERMS

ID = -1
"""The position of a relation's id among its values."""

# The two positions that make a relation unique, and the constraint that says so.
_KEYS: dict[int, tuple[tuple[int, int], str]] = {
    GENERATION.index: ((0, 1), "24"),
    INVALIDATION.index: ((0, 1), "25"),
    START.index: ((0, 2), "26"),
    END.index: ((0, 2), "27"),
    MENTION.index: ((0, 0), rules.MENTION),
}
_SAME_ID, _INFLUENCE = "23", "15"
_LONGEST_PATH = 256  # statements on the way from one to another that a chain goes into
_DERIVED_FROM_ACTIVITY = (3, 4)  # positions of generation and usage, which mean nothing without an activity

Key = TypeVar("Key")

Value = tuple[str | None, int]
"""What a relation has in one place, and the number of the statement that gave it."""


class Conflict(NamedTuple):
    """Two statements of one relation that give two values in one place (see :data:`ID`)."""

    rule: str
    one: int
    other: int
    position: int


class Merging:
    """What became one, and what could not; see the module.

    ``arguments`` has, by a statement's number, the arguments as they are after merging. ``conflicts`` are in
    the order in which they were found.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.conflicts: dict[Conflict, None] = {}  # in the order of finding, whatever the hash seed
        self._bound: dict[str, str] = {}
        self._why_bound: dict[str, tuple[int, int]] = {}
        self._mentions: dict[str, list[int]] | None = None
        self._into: dict[int, int] = {}
        self._size: dict[int, int] = {}
        self._whole: dict[int, list[Value]] = {}
        self._proof: dict[int, tuple[int, str]] = {}
        self._by_id: list[dict[str, int]] = [{} for _ in TERMS]
        self._by_key: dict[int, dict[Arguments, int]] = {index: {} for index in _KEYS}
        self._pending: deque[tuple[int, int, str]] = deque()
        self._due: deque[int] = deque()
        self._start()
        self._settle()
        self.arguments: list[Arguments] = self._resolved()

    # --- what others ask ---

    def root(self, number: int) -> int:
        """The statement that stands for all those that are one relation with this one."""
        into = self._into
        while number in into:
            above = into[number]
            into[number] = into.get(above, above)
            number = above
        return number

    def name(self, given: str) -> str:
        """What a name stands for: itself, unless it is blank and was found to be another."""
        bound = self._bound
        while given in bound:
            above = bound[given]
            bound[given] = bound.get(above, above)
            given = above
        return given

    def groups(self) -> Iterator[list[int]]:
        """The statements of each relation that is stated more than once, ascending."""
        found: dict[int, list[int]] = {}
        for number in self._into:
            found.setdefault(self.root(number), []).append(number)
        return (sorted((root, *others)) for root, others in found.items())

    def path(self, one: int, other: int) -> list[tuple[int, int, str]]:
        """How two statements came to be one relation: pairs, each with the rule that joined them."""
        up, down = self._upward(one), self._upward(other)
        below = {step[0]: place for place, step in enumerate(down)}
        meeting = next((place for place, step in enumerate(up) if step[0] in below), None)
        if meeting is None:
            return []
        way = [(a, b, rule) for a, b, rule in up[:meeting]]
        back = down[: below[up[meeting][0]]]
        return way + [(b, a, rule) for a, b, rule in reversed(back)]

    def bound_by(self, blank: str) -> tuple[int, int] | None:
        """The two statements by which a blank name was found to stand for another, if it was."""
        return self._why_bound.get(blank)

    def ids(self) -> Iterator[tuple[int, dict[str, int]]]:
        """For each term (its index) the ids of its relations, each with the number of one statement."""
        for index, table in enumerate(self._by_id):
            yield index, {self.name(one): number for one, number in table.items()} if self._bound else table

    # --- the work ---

    def _start(self) -> None:
        """Find what has the same id or key as it is written."""
        relations, pending = self.facts.relations, self._pending
        for table, numbers in zip(self._by_id, self.facts.of, strict=True):
            for number in numbers:
                written = relations[number].id
                if written is not None and written != ABSENT_MARK:
                    found = table.setdefault(written, number)
                    if found != number:
                        pending.append((number, found, _SAME_ID))
        for index in _KEYS:
            self._start_keys(index)
        influences = self._by_id[INFLUENCE.index]
        for table in self._by_id[: INFLUENCE.index] if influences else ():
            pending.extend((table[one], influences[one], _INFLUENCE) for one in table if one in influences)

    def _start_keys(self, index: int) -> None:
        positions, rule = _KEYS[index]
        given, keyed, pending = self.facts.given, self._by_key[index], self._pending
        first, last = positions[0], positions[-1]
        for number in self.facts.of[index]:
            arguments = given[number]
            key = arguments[first], arguments[last]
            if key[1] is not None:
                found = keyed.setdefault(key, number)
                if found != number:
                    pending.append((number, found, rule))

    def _enter(self, table: dict[Key, int], key: Key, number: int, rule: str) -> None:
        found = table.setdefault(key, number)
        if found != number:
            self._pending.append((number, found, rule))

    def _settle(self) -> None:
        while self._pending or self._due:
            if self._pending:
                one, other, rule = self._pending.popleft()
                if rule == _INFLUENCE:
                    self._reconcile(one, other)
                else:
                    self._merge(one, other, rule)
            else:
                self._index(self._due.popleft())

    def _merge(self, one: int, other: int, rule: str) -> None:
        kept, lost = self.root(one), self.root(other)
        if kept == lost:
            return
        if self._size.get(kept, 1) < self._size.get(lost, 1):
            kept, lost, one, other = lost, kept, other, one
        self._reroot(other)
        self._proof[other] = one, rule
        self._into[lost] = kept
        self._size[kept] = self._size.get(kept, 1) + self._size.get(lost, 1)
        mine, theirs = self._values(kept), self._values(lost)
        self._whole[kept] = mine
        self._whole.pop(lost, None)
        if self._join(mine, theirs, rule, self.facts.relations[kept].term.index):
            self._due.append(kept)

    def _join(self, mine: list[Value], theirs: list[Value], rule: str, term: int) -> bool:
        """Put what ``theirs`` gives into ``mine``; True when that had not all of it."""
        grown, apart = False, STATED_OR_NOT.get(term)
        places: Iterable[int] = range(ID, len(mine) - 1)
        if term == DERIVATION.index and (mine[2][0] is None) != (theirs[2][0] is None):
            places = [place for place in places if place not in _DERIVED_FROM_ACTIVITY]
        for place in places:
            (have, holder), (come, giver) = mine[place], theirs[place]
            if have is None and come is None:
                continue
            if (have is None or come is None) and place != apart:
                if have is None:
                    mine[place] = come, giver
                    grown = True
            elif have is None or come is None or not self._unify(have, come, holder, giver):
                blamed = rule if place == ID or term == MENTION.index else _SAME_ID
                self.conflicts[Conflict(blamed, holder, giver, place)] = None
        return grown

    def _reconcile(self, one: int, influence: int) -> None:
        """A relation is an influence under the same id (inference 15): subject and first argument are one."""
        mine = self._whole.setdefault(self.root(one), self._values(self.root(one)))
        theirs = self._values(self.root(influence))
        for place in (0, 1):
            (have, holder), (come, giver) = mine[place], theirs[place]
            if come is None:
                continue
            if have is None:
                mine[place] = come, giver
                self._due.append(one)
            elif not self._unify(have, come, holder, giver):
                self.conflicts[Conflict(_SAME_ID, holder, giver, place)] = None

    def _unify(self, one: str, other: str, holder: int, giver: int) -> bool:
        one, other = self.name(one), self.name(other)
        if one == other:
            return True
        if is_blank(one) and is_blank(other):
            mentions = self._mentioned()
            if len(mentions.get(one, ())) > len(mentions.get(other, ())):
                one, other = other, one
        elif not is_blank(one):
            one, other = other, one
        if not is_blank(one):
            return False
        self._bind(one, other, holder, giver)
        return True

    def _bind(self, blank: str, to: str, holder: int, giver: int) -> None:
        mentions = self._mentioned()
        self._bound[blank] = to
        self._why_bound[blank] = holder, giver
        moved = mentions.pop(blank, [])
        if is_blank(to):
            mentions.setdefault(to, []).extend(moved)
        self._due.extend(moved)

    def _mentioned(self) -> dict[str, list[int]]:
        """Where each blank name stands. Made when the first is bound: in most documents none is."""
        if self._mentions is None:
            self._mentions = {}
            for numbers in self.facts.of:
                for number in numbers:
                    for one in {self.facts.all[number].id, *self.facts.given[number]}:
                        if one is not None and is_blank(one):
                            self._mentions.setdefault(one, []).append(number)
        return self._mentions

    def _index(self, number: int) -> None:
        """Look again whether a relation whose values changed is one with another."""
        index = self.facts.relations[number].term.index
        values = self._values(self.root(number))
        identity = values[ID][0]
        if identity is not None:
            self._index_id(self.name(identity), index, number)
        if index in _KEYS:
            positions, rule = _KEYS[index]
            first, last = values[positions[0]][0], values[positions[-1]][0]
            if first is not None and last is not None:
                self._enter(self._by_key[index], (self.name(first), self.name(last)), number, rule)

    def _index_id(self, identity: str, index: int, number: int) -> None:
        self._enter(self._by_id[index], identity, number, _SAME_ID)
        influences = self._by_id[INFLUENCE.index]
        if index == INFLUENCE.index:
            tables = self._by_id[:index]
            self._pending.extend(
                (table[identity], number, _INFLUENCE) for table in tables if identity in table
            )
        elif identity in influences:
            self._pending.append((number, influences[identity], _INFLUENCE))

    def _known(self, given: str | None) -> str | None:
        return None if given is None else self.name(given)

    def _values(self, root: int) -> list[Value]:
        """What a relation has in each place, its id at the end."""
        found = self._whole.get(root)
        if found is not None:
            return found
        values: Iterable[str | None] = (*self.facts.given[root], named(self.facts.all[root].id))
        return [(value, root) for value in values]

    def _resolved(self) -> list[Arguments]:
        found = list(self.facts.given)
        changed = chain.from_iterable(self.facts.of) if self._bound else chain(self._into, self._whole)
        for number in changed:
            found[number] = self._completed(number, found[number])
        return found

    def _completed(self, number: int, own: Arguments) -> Arguments:
        """A statement's own arguments by their names, with what its relation has where it gives none."""
        whole = self._whole.get(self.root(number))
        if whole is not None:
            own = tuple([whole[place][0] if value is None else value for place, value in enumerate(own)])
        return tuple([self._known(value) for value in own])

    # --- how it came about ---

    def _reroot(self, number: int) -> None:
        """Turn the tree of proofs of a group round, so that this statement is its root."""
        above = self._proof.pop(number, None)
        while above is not None:
            parent, rule = above
            above = self._proof.get(parent)
            self._proof[parent] = number, rule
            number = parent

    def _upward(self, number: int) -> list[tuple[int, int, str]]:
        """The way up the tree of proofs: each statement with the next and the rule; at last it and itself."""
        way: list[tuple[int, int, str]] = []
        while number in self._proof and len(way) < _LONGEST_PATH:
            parent, rule = self._proof[number]
            way.append((number, parent, rule))
            number = parent
        return [*way, (number, number, "")]
