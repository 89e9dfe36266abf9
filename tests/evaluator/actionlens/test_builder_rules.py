"""Every construction rule, with a scene that gives a question and one that it rejects."""

from __future__ import annotations

import pytest

from evaluator.families.actionlens.builder import (
    actors,
    concurrent,
    gaze,
    interactions,
    scenes,
    transitions,
)
from evaluator.families.actionlens.builder.drafts import Draft
from evaluator.families.actionlens.builder.evidence import Sighting
from evaluator.families.actionlens.builder.ledger import Ledger
from evaluator.families.actionlens.builder.scenes import Lexicon
from tests.evaluator.actionlens.scenes import Item, drafts, evidence, far_away, stay

CLIP = range(5)
LARGE = (0.0, 0.0, 0.9, 0.9)
NEAR = (0.14, 0.1, 0.24, 0.9)  # all but on top of person 1


def at(found: list[Draft], second: int) -> list[Draft]:
    return [draft for draft in found if draft.moment.second == second]


def texts(draft: Draft) -> dict[str, str]:
    """Text by kind, the key under `correct`."""
    return {"correct" if o.is_right else o.kind: o.text for o in draft.options}


def change(before: tuple[str, ...], after: tuple[str, ...], n: int = 4) -> list[Item]:
    return [*stay("1", range(10, 10 + n), *before), *stay("1", range(10 + n, 10 + 2 * n), *after)]


# D1: a stable boundary, centred, one visible change of one person alone.


def test_d1_asks_about_a_stable_change_centred_in_the_clip() -> None:
    rows = [*stay("1", range(10, 17), "stand", "talk"), *stay("1", range(17, 20), "sit")]
    (draft,), _ = drafts("D1", rows)
    assert draft.clip == (16.5 - 3, 16.5 + 3)  # as long as the shorter side
    assert list(draft.seconds) == list(range(14, 20))
    assert draft.transition == "posture"
    assert texts(draft) == {
        "correct": "From standing to sitting",
        "reversal": "From sitting to standing",
        "static-before": "Only standing throughout",
        "static-after": "Only sitting throughout",
    }


@pytest.mark.parametrize(("n", "seconds"), [(2, 4), (3, 6), (9, 10)])
def test_d1_clips_last_four_to_ten_seconds(n: int, seconds: int) -> None:
    (draft,), _ = drafts("D1", change(("stand",), ("sit",), n))
    assert draft.clip[1] - draft.clip[0] == seconds


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (change(("stand",), ("sit",), 1), transitions.UNSTABLE),
        (
            [*change(("stand",), ("sit",), 2), *stay("1", [14], "stand")][1:],
            transitions.UNSTABLE,
        ),
        (change(("stand", "hold"), ("sit", "sweep")), transitions.SEVERAL),
        (change(("stand", "talk"), ("stand", "listen")), transitions.AUDITORY),
        (change(("stand", "talk"), ("stand", "hold")), transitions.AUDITORY),
        (change(("ride",), ("drive",)), transitions.CONFUSABLE),
        (change(("stand",), ("stand", "hold")), transitions.NO_SUCCESSOR),
        ([*change(("stand",), ("sit",)), *stay("2", [15], "walk")], transitions.NOT_ALONE),
        (
            [
                *stay("1", range(10, 14), "stand", box=LARGE),
                *stay("1", range(14, 18), "sit", box=LARGE),
            ],
            scenes.TOO_LARGE,
        ),
        (
            [
                *stay("1", range(10, 14), "stand"),
                *stay("1", range(14, 18), "sit", box=(0.6, 0.1, 0.8, 0.9)),
            ],
            scenes.JUMPING,
        ),
    ],
)
def test_d1_rejects(rows: list[Item], reason: str) -> None:
    found, rejected = drafts("D1", rows)
    assert found == []
    assert rejected[reason] > 0


# D2: visible actions of their own, a wrong-actor trap, nothing true among the distractors.

PAIR = [
    *stay("1", CLIP, "stand", "hold"),
    *stay("2", CLIP, "stand", "sweep", "talk"),
    *far_away("walk", "paint", "wave", "talk"),
]


def test_d2_sets_the_other_persons_action_as_a_trap() -> None:
    found, _ = drafts("D2", PAIR)
    draft = next(d for d in at(found, 2) if dict(d.people)["blue"] == "1")
    said = texts(draft)
    assert said["correct"] == "holding something"
    assert said["trap"] == "sweeping"
    assert "talking" not in said.values()
    assert len(draft.options) == 4


def test_d2_takes_no_distractor_that_is_true_at_any_second_of_the_clip() -> None:
    rows = [*PAIR, *stay("1", [4], "wave")]  # joins what person 1 does at the last second
    found, _ = drafts("D2", rows)
    draft = next(d for d in at(found, 2) if dict(d.people)["blue"] == "1")
    assert "waving" not in texts(draft).values()


def test_d2_says_which_distractor_a_bystander_does() -> None:
    found, _ = drafts("D2", [*PAIR, *stay("3", CLIP, "paint")])
    draft = next(d for d in at(found, 2) if dict(d.people) == {"red": "2", "blue": "1"})
    assert texts(draft)["scene"] == "painting"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([*PAIR, *(r for n in range(3, 9) for r in stay(str(n), CLIP, "walk"))], scenes.CROWDED),
        ([r for r in PAIR if (r["second"], r["person"]) != (3, "2")], scenes.NOT_SEEN),
        (
            [*stay("1", CLIP, "hold", box=LARGE), *stay("2", CLIP, "sweep"), *PAIR[10:]],
            scenes.TOO_LARGE,
        ),
        ([*PAIR[:5], *stay("2", CLIP, "sweep", box=NEAR), *PAIR[10:]], scenes.OVERLAPPING),
        ([*stay("1", CLIP, "stand", "talk"), *PAIR[5:]], actors.NOTHING_OWN),
        ([*PAIR[:5], *stay("2", CLIP, "stand", "talk"), *PAIR[10:]], actors.NO_TRAP),
        (PAIR[:10], actors.FEW_FURTHER),
    ],
)
def test_d2_rejects(rows: list[Item], reason: str) -> None:
    found, rejected = drafts("D2", rows)
    assert not [d for d in at(found, 2) if dict(d.people) == {"red": "2", "blue": "1"}]
    assert rejected[reason] > 0


# D3: exactly two visible actions, possible pairs, false distractors.

BUSY = [*stay("1", CLIP, "stand", "hold", "talk"), *far_away("walk", "sweep", "wave", "drive")]


def test_d3_changes_one_or_both_actions_into_possible_pairs() -> None:
    found, _ = drafts("D3", BUSY)
    (draft,) = at(found, 2)
    said = [(option.kind, option.text) for option in draft.options if not option.is_right]
    assert texts(draft)["correct"] == "holding something while standing"
    assert sorted(kind for kind, _ in said) == ["both-changed", "one-changed", "one-changed"]
    for kind, text in said:
        kept = ("holding" in text) + ("standing" in text)
        assert kept == (kind == "one-changed")
        assert not ("standing" in text and "walking" in text)
        assert "talking" not in text


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([*stay("1", CLIP, "stand", "hold", "wave"), *BUSY[5:]], concurrent.NOT_TWO),
        ([*stay("1", CLIP, "stand", "talk"), *BUSY[5:]], concurrent.NOT_TWO),
        ([*BUSY, *stay("2", [4], "walk")], concurrent.NOT_ALONE),
        ([r for r in BUSY if r["second"] != 1], scenes.NOT_SEEN),
        ([*stay("1", CLIP, "stand", "hold", box=LARGE), *BUSY[5:]], scenes.TOO_LARGE),
        ([*stay("1", CLIP, "stand", "sit"), *BUSY[5:]], concurrent.IMPOSSIBLE),
        ([*stay("1", CLIP, "sweep", "paint"), *BUSY[5:]], concurrent.IMPOSSIBLE),
        (BUSY[:5], concurrent.FEW_PAIRS),
        ([*BUSY[:5], *far_away("walk", "sit")], concurrent.FEW_PAIRS),
    ],
)
def test_d3_rejects(rows: list[Item], reason: str) -> None:
    found, rejected = drafts("D3", rows)
    assert at(found, 2) == []
    assert rejected[reason] > 0


# D4: opposite roles, unique co-actions, three options where the scene holds too little.

TALK = [*stay("1", CLIP, "talk", "drive"), *stay("2", CLIP, "listen", "hold")]
SCENE = [*stay("3", [20], "wave"), *stay("4", [20], "paint")]


def test_d4_varies_roles_and_deeds_of_the_same_two() -> None:
    found, _ = drafts("D4", [*TALK, *SCENE])
    (draft,) = at(found, 2)
    who = {person: colour for colour, person in draft.people}
    first, second = f"{{{who['1']}}}", f"{{{who['2']}}}"
    said = texts(draft)
    assert f"{first} is talking and driving" in said["correct"]
    assert f"{second} is listening and holding something" in said["correct"]
    assert f"{first} is listening and driving" in said["role-swap"]
    assert f"{first} is talking and holding something" in said["co-action-swap"]
    assert f"{second} is listening and driving" in said["co-action-swap"]
    assert "waving" in said["scene-alternative"] and "painting" in said["scene-alternative"]


def test_d4_has_three_options_where_the_scene_holds_no_two_other_actions() -> None:
    found, _ = drafts("D4", [*TALK, *SCENE[:1]])
    (draft,) = at(found, 2)
    assert sorted(texts(draft)) == ["co-action-swap", "correct", "role-swap"]
    far = [*TALK, *stay("3", [40], "wave"), *stay("4", [40], "paint")]
    assert len(at(drafts("D4", far)[0], 2)[0].options) == 3  # beyond the scene's 30 seconds


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([*TALK[:5], *stay("2", CLIP, "talk", "hold")], interactions.SAME_ROLE),
        ([*TALK[:5], *stay("2", CLIP, "talk", "listen", "hold")], interactions.SAME_ROLE),
        ([*TALK[:5], *stay("2", CLIP, "listen", "drive")], interactions.SHARED),
        ([*TALK, *stay("2", [4], "drive")], interactions.SHARED),
        ([*TALK[:5], *stay("2", CLIP, "listen", "ride")], interactions.CONFUSABLE),
        ([*TALK, *(r for n in range(3, 9) for r in stay(str(n), CLIP, "walk"))], scenes.CROWDED),
        ([r for r in TALK if (r["second"], r["person"]) != (1, "1")], scenes.NOT_SEEN),
        ([*TALK[:5], *stay("2", CLIP, "listen", "hold", box=NEAR)], scenes.OVERLAPPING),
    ],
)
def test_d4_rejects(rows: list[Item], reason: str) -> None:
    found, rejected = drafts("D4", rows)
    assert at(found, 2) == []
    assert rejected[reason] > 0


# D5: two alone and near, labels that hold, as many of each answer.


def gazing(first: tuple[str, ...], second: tuple[str, ...], video: str = "v") -> list[Item]:
    return [
        *stay("1", CLIP, "stand", *first, video=video),
        *stay("2", CLIP, "stand", *second, video=video),
    ]


WATCH = ("watch",)


def test_d5_keeps_as_many_of_each_answer() -> None:
    rows = [row for n in range(6) for row in gazing(WATCH, (), f"one-{n}")]
    rows += [row for n in range(6) for row in gazing((), WATCH, f"two-{n}")]
    rows += [*gazing(WATCH, WATCH, "three"), *gazing((), (), "four")]
    ledger = Ledger()
    found = list(gaze.gazes(Lexicon(evidence(rows)), 1, ledger))
    answers = ("only-red", "only-blue", "both", "neither")
    assert [sum(d.gaze == answer for d in found) for answer in answers] == [3, 3, 3, 3]
    assert ledger.rejected["D5"][gaze.UNBALANCED] == 3 * 14 - 12  # three middles of each clip
    for draft in found:
        assert {option.kind for option in draft.options} == set(answers)
        assert next(o.kind for o in draft.options if o.is_right) == draft.gaze


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([*gazing((), ()), *stay("3", [4], "stand")], gaze.NOT_TWO),
        ([r for r in gazing((), ()) if r["second"] != 3], scenes.NOT_SEEN),
        ([*stay("1", CLIP, "stand"), *stay("7", CLIP, "stand")], gaze.DISTANT),
        (
            [
                *stay("1", [0, 1, 3, 4], "stand"),
                *stay("1", [2], "stand", "watch"),
                *stay("2", CLIP, "stand"),
            ],
            gaze.INCONSISTENT,
        ),
        (gazing((), ()), gaze.UNBALANCED),
    ],
)
def test_d5_rejects(rows: list[Item], reason: str) -> None:
    found, rejected = drafts("D5", [*rows, *far_away("watch")])
    assert at(found, 2) == []
    assert rejected[reason] > 0


def test_people_are_named_from_left_to_right() -> None:
    people = {
        name: Sighting((left, 0.1, left + 0.1, 0.9), frozenset())
        for name, left in (("a", 0.5), ("b", 0.1), ("c", 0.3), ("d", 0.8))
    }
    assert [scenes.place_in_words(people, name) for name in "bcad"] == [
        "the leftmost person",
        "the second person from the left",
        "the third person from the left",
        "the rightmost person",
    ]
    assert scenes.place_in_words({"a": people["a"]}, "a") == "the person"
