"""What is said in a run: the user's turns, and the answers of the model that is asked. The same on every machine and in every run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

Json = dict[str, Any]

SYSTEM = "You help people to travel. Use the tools, and say what you know."
CITIES = ("Hangzhou", "Oslo", "Lima", "Zürich", "杭州", "São Paulo", "Kraków", "Reykjavík")
TOOLS = ("get_weather", "find_hotels", "convert_currency")


class Call(msgspec.Struct, frozen=True):
    """One call of an answer."""

    name: str
    args: Json
    id: str


class Said(msgspec.Struct, frozen=True):
    """One answer."""

    text: str = ""
    calls: tuple[Call, ...] = ()


class Scene(msgspec.Struct, frozen=True):
    """One run."""

    name: str
    turns: tuple[str, ...]
    """What the user says, one after the other."""
    script: tuple[Said, ...]
    """The model's answers, in order; each turn ends with one that makes no calls."""

    def answer(self, answers: int) -> Said:
        """The answer that follows so many answers."""
        return self.script[answers]


def scenes(count: int) -> list[Scene]:
    """So many scenes, of two to four turns, each with a turn of one call, an answer in words, and a turn behind it."""
    random = Random(7)
    return [_scene(f"scene-{number}", random) for number in range(count)]


def _scene(name: str, random: Random) -> Scene:
    turns: list[str] = []
    script: list[Said] = []
    plain = random.randrange(3)
    for turn in range(plain + 2):
        city = random.choice(CITIES)
        turns.append(f"How is it in {city}? Question {turn} of {name}.")
        script += _calls(random, city, single=turn == plain)
        script.append(Said(f"In {city} it is fine; I looked it up {random.randint(1, 9)} times."))
    return Scene(name, tuple(turns), tuple(script))


def _calls(random: Random, city: str, *, single: bool) -> Iterator[Said]:
    """The answers with calls of one turn: one call; several beside each other or in a row, some with words, some that go wrong."""
    if single:
        yield Said(calls=(_call(random, city),))
        return
    for _ in range(random.randint(0, 2)):
        calls = [_call(random, city) for _ in range(random.choice((1, 1, 2, 3)))]
        if random.random() < 0.15:
            calls[0] = msgspec.structs.replace(calls[0], args={"city": "nowhere"})
        yield Said(random.choice(("", "", "Let me look.")), tuple(calls))


def _call(random: Random, city: str) -> Call:
    name = random.choice(TOOLS)
    args: Json = {"city": city, "day": random.randint(1, 28)}
    return Call(name, args, f"call_{random.getrandbits(96):024x}")


def get_weather(city: str, day: int = 1) -> str:
    """The weather in a city on a day of this month."""
    return _known(city) and json.dumps({"city": city, "day": day, "celsius": len(city) + day, "sky": "clear"}, ensure_ascii=False)


def find_hotels(city: str, day: int = 1) -> str:
    """Hotels of a city that are free on a day of this month."""
    return _known(city) and f"{city}, {day}.: The Lake (120), The Bridge (90), The Old Mill (75). Breakfast is extra. " * 4


def convert_currency(city: str, day: int = 1) -> str:
    """What 100 Euro are in the money of a city on a day of this month."""
    return _known(city) and f"100 EUR on {day}.: {len(city) * 117:,}"


def _known(city: str) -> str:
    if city == "nowhere":
        raise ValueError("Error: there is no such city; ask the user which one is meant")
    return city
