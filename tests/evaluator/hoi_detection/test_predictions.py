"""Which files are lawful, what they mean, and what is said of the others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from evaluator.bundle import Bundle
from evaluator.errors import PredictionsInvalid, Problem
from evaluator.families.hoi_detection import FAMILY
from evaluator.families.hoi_detection.predictions import image_names
from evaluator.families.hoi_detection.schema import TRACK, Image
from evaluator.families.hoi_detection.scorer import Detections
from tests.evaluator.hoi_detection.small import CLASSES, IMAGES, file_of, item, small_bundle

BUNDLE = small_bundle()


def read(data: bytes, bundle: Bundle = BUNDLE) -> Detections:
    found = FAMILY.read_predictions(bundle, TRACK, data, "official")
    assert isinstance(found, Detections)
    return found


def problems(data: bytes) -> list[Problem]:
    with pytest.raises(PredictionsInvalid) as caught:
        read(data)
    return list(caught.value.problems)


def image(id_: str, name: str) -> Image:
    return Image(track=TRACK, id=id_, image=name)


@pytest.mark.parametrize("name", [IMAGES[1], f"{IMAGES[1]}.jpg", 12])
def test_an_image_is_known_by_id_file_name_or_number(name: str | int) -> None:
    assert read(file_of([item(name)])).pairs.image.tolist() == [1]


def test_a_number_that_two_images_end_in_names_neither() -> None:
    names = image_names([image("a", "a-7.jpg"), image("b", "b-07.jpg"), image("c", "c-8.jpg")])
    assert names == {"a": 0, "a-7.jpg": 0, "b": 1, "b-07.jpg": 1, "c": 2, "c-8.jpg": 2, 8: 2}


def test_an_id_wins_over_the_file_name_of_another_image() -> None:
    assert image_names([image("x.jpg", "1.jpg"), image("y", "x.jpg")])["x.jpg"] == 0


def test_classes_are_read_in_the_declared_numbering() -> None:
    by_name = item(label=0)
    del by_name["hoi_id"]
    by_name |= {"verb": CLASSES[2][0], "object": CLASSES[2][1]}
    for items, numbering in (
        ([item(label=2)], "hoi0"),
        ([item(label=3)], "matlab1"),
        ([by_name], "names"),
    ):
        assert read(file_of(items, class_ids=numbering)).pairs.label.tolist() == [2]


def test_boxes_may_stand_outside_the_image_and_images_without_detections_are_lawful() -> None:
    outside = item(human_box=(-3.5, -1.0, 700.0, 500.0))
    assert len(read(file_of([outside])).pairs) == 1


def test_an_image_may_have_any_number_of_detections() -> None:
    many = [item(score=n / 5000) for n in range(5000)]
    assert len(read(file_of(many)).pairs) == 5000


@pytest.mark.parametrize("missing", ["box_base", "class_ids"])
def test_a_numbering_that_is_not_declared_is_asked_for(missing: str) -> None:
    document = json.loads(file_of([item()]))
    del document[missing]
    (problem,) = problems(json.dumps(document).encode())
    assert (problem.code, problem.where) == ("MISSING_FIELD", f"/{missing}")


@pytest.mark.parametrize(
    ("label", "numbering", "says"), [(4, "hoi0", "matlab1"), (0, "matlab1", "hoi0")]
)
def test_ids_that_are_off_by_one_are_recognised(label: int, numbering: str, says: str) -> None:
    (problem,) = problems(file_of([item(label=label)], class_ids=numbering))
    assert (problem.code, problem.where) == ("UNKNOWN_ID", "/predictions/0/hoi_id")
    assert says in problem.hint


def test_numbers_in_place_of_names_are_recognised() -> None:
    numbered = item()
    del numbered["hoi_id"]
    (problem,) = problems(file_of([{**numbered, "verb": "hold", "object": 47}], class_ids="names"))
    assert problem.where == "/predictions/0/object"
    assert "COCO" in problem.hint


def test_a_lawful_file_passes_through_conversion() -> None:
    data = file_of([item()])
    assert FAMILY.convert(BUNDLE, TRACK, data) == (data, ["the file is lawful as it is"])


def test_a_file_that_cannot_be_converted_is_refused_with_its_problems() -> None:
    with pytest.raises(PredictionsInvalid) as caught:
        FAMILY.convert(BUNDLE, TRACK, file_of([item(label=77)]))
    assert [problem.code for problem in caught.value.problems] == ["UNKNOWN_ID"]


def ppdm(**changes: Any) -> bytes:
    """Person with cup (COCO 47) and bicycle (2); verbs in alphabetical order from 1."""
    things = [
        {"bbox": [9, 9, 59, 109], "category_id": 1, "score": 0.9},
        {"bbox": [39, 39, 89, 79], "category_id": 47, "score": 0.8},
        {"bbox": [39, 39, 89, 79], "category_id": 2, "score": 0.7},
    ]
    pairs = [
        {"subject_id": 0, "object_id": 1, "category_id": 1, "score": 0.6},  # hold cup
        {"subject_id": 0, "object_id": 2, "category_id": 3, "score": 0.5},  # ride bicycle
        {"subject_id": 0, "object_id": 2, "category_id": 1, "score": 0.4},  # hold bicycle: no class
        {"subject_id": 0, "object_id": 1, "category_id": 1, "score": 0.6},  # again
    ]
    entry = {"file_name": f"{IMAGES[0]}.jpg", "predictions": things, "hoi_prediction": pairs}
    return json.dumps([{**entry, **changes}]).encode()


def test_the_layout_of_ppdm_becomes_ours() -> None:
    data, notes = FAMILY.convert(BUNDLE, TRACK, ppdm())
    found = read(data)
    assert found.box_base == 0
    assert found.pairs.label.tolist() == [0, 2]
    assert found.pairs.human.tolist() == [[9, 9, 59, 109]] * 2
    assert found.scores.tolist() == [0.6, 0.5]
    assert any("1 belong to no class" in note for note in notes)
    assert any("1 stand there twice" in note for note in notes)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"file_name": "elsewhere.jpg"}, "/0/file_name"),
        (
            {"predictions": [{"bbox": [1, 1, 2, 2], "category_id": 12}]},
            "/0/predictions/0/category_id",
        ),
        ({"predictions": []}, "/0/hoi_prediction/0/subject_id"),
        (
            {"hoi_prediction": [{"subject_id": 0, "object_id": 1, "category_id": 0, "score": 0.5}]},
            "/0/hoi_prediction/0/category_id",
        ),
    ],
)
def test_ids_of_that_layout_are_checked(changes: dict[str, Any], where: str) -> None:
    with pytest.raises(PredictionsInvalid) as caught:
        FAMILY.convert(BUNDLE, TRACK, ppdm(**changes))
    first = caught.value.problems[0]
    assert (first.code, first.where) == ("UNKNOWN_ID", where)


def test_the_layout_of_ppdm_is_named_where_it_is_sent_as_it_is() -> None:
    hints = [problem.hint for problem in problems(ppdm())]
    assert any("plumbline convert" in hint for hint in hints)
