"""Models that are saved over older ones, whatever fails, and models whose files do not belong together."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forest_align.aligners.contextual.model import LinkModel
from forest_align.aligners.forest.judge import JudgeModel
from forest_align.aligners.forest.model import ForestModel
from forest_align.aligners.joint.model import JointModel
from forest_align.aligners.model_folder import bundled_folder
from forest_align.aligners.phrases.model import PhraseModel
from forest_align.aligners.phrases.relation_model import RelationModel
from forest_align.aligners.semi_markov.model import SemiMarkovModel
from forest_align.aligners.sentence_pairs.model import ParaphraseModel
from forest_align.edits._edit_choice import EditConventions
from forest_align.storage.saved_models import lock_model
from forest_align.system.processes import can_fork
from forest_align.types import InputError, ModelError

from .faults import run_with_fault

PACKAGE = Path(__file__).resolve().parents[2] / "forest_align"


def more(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value + 1 for name, value in values.items()}


def other_network(model: Any) -> Any:
    return replace(model, network=replace(model.network, mean=model.network.mean + 1))


#: For each class of models: the folder of a bundled one, and what makes another one of it.
MODELS: dict[type[Any], tuple[str, Callable[[Any], Any]]] = {
    ForestModel: (
        "forest",
        lambda model: replace(model, weights=model.weights + 1, phrases=other_network(model.phrases)),
    ),
    PhraseModel: ("forest/phrases", other_network),
    RelationModel: ("forest/relations", other_network),
    JudgeModel: ("forest/judge", other_network),
    LinkModel: ("contextual", lambda model: replace(model, first=model.first + 1)),
    SemiMarkovModel: ("semi-markov", lambda model: replace(model, weights=more(model.weights))),
    JointModel: ("joint", lambda model: replace(model, weights=model.weights + 1)),
    ParaphraseModel: ("parts/paraphrases", lambda model: replace(model, mean=model.mean + 1)),
    EditConventions: (
        "../../edits/models/arxivedits",
        lambda model: replace(model, weights=more(model.weights)),
    ),
}


def save(model: Any, folder: Path) -> None:
    model.save(folder, {}) if isinstance(model, EditConventions) else model.save(folder)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def saved_again(kind: type[Any], folder: Path, scratch: Path) -> dict[str, bytes]:
    """The files of a model that is loaded from a folder and saved into an empty one."""
    shutil.rmtree(scratch, ignore_errors=True)
    save(kind.load(folder), scratch)
    return content(scratch)


@pytest.mark.skipif(not (can_fork() and os.path.exists("/proc/self/fd")), reason="needs forks, and /proc")
@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_a_folder_has_the_old_model_or_the_new_one_whatever_fails(kind: type[Any], tmp_path: Path) -> None:
    name, change = MODELS[kind]
    old = kind.load(PACKAGE / "aligners/models" / name)
    new = change(old)
    before, folder, scratch = tmp_path / "before", tmp_path / "model", tmp_path / "scratch"
    save(old, before)
    save(new, tmp_path / "after")
    wanted = [saved_again(kind, tmp_path / part, scratch) for part in ("before", "after")]
    assert wanted[0] != wanted[1]

    def replace_it() -> bool:
        save(new, folder)
        return True

    found = []
    for fault, at, step in (("full", 1, 5), ("kill", 1, 3), ("power", 2, 5)):
        while True:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(before, folder)
            if not run_with_fault(replace_it, fault, at):
                break
            found.append(wanted.index(saved_again(kind, folder, scratch)))
            save(new, folder)
            assert saved_again(kind, folder, scratch) == wanted[1]
            left = {path for path in content(folder) if not path.endswith(".tmp")}
            assert left == set(content(before))
            at += step
    assert set(found) == {0, 1}


@pytest.mark.parametrize("name", ["forest", "joint"])
def test_weights_of_another_training_beside_a_description_are_refused(name: str, tmp_path: Path) -> None:
    kind = {"forest": ForestModel, "joint": JointModel}[name]
    with bundled_folder(name) as bundled:
        model: Any = kind.load(bundled)
    model.save(tmp_path / "one")
    replace(model, weights=model.weights + 1).save(tmp_path / "two")
    (weights,) = (tmp_path / "two").glob("*.safetensors")
    shutil.copy(weights, tmp_path / "one")
    with pytest.raises(ModelError, match=r"is not what .*model\.json' was saved with"):
        kind.load(tmp_path / "one")


def test_a_part_of_another_model_is_refused_and_one_that_is_not_named_is_not_read(tmp_path: Path) -> None:
    with bundled_folder("forest") as bundled:
        model = ForestModel.load(bundled)
    assert model.phrases is not None
    model.save(tmp_path / "one")
    replace(model, phrases=None, phrase_options=None).save(tmp_path / "one")
    shutil.copytree(bundled / "phrases", tmp_path / "one/phrases")
    assert ForestModel.load(tmp_path / "one").phrases is None
    model.save(tmp_path / "two")
    other_network(model.phrases).save(tmp_path / "two/phrases")
    with pytest.raises(ModelError, match="phrases' is not what"):
        ForestModel.load(tmp_path / "two")


@pytest.mark.parametrize(
    "entry", [None, 3, {}, {"file": "../x", "sha256": ""}, {"file": "weights.safetensors"}]
)
def test_a_description_must_name_its_files_by_their_names(entry: Any, tmp_path: Path) -> None:
    with bundled_folder("uniform") as bundled:
        shutil.copytree(bundled, tmp_path / "model")
    card = tmp_path / "model/model.json"
    values = json.loads(card.read_text(encoding="utf-8"))
    card.write_text(json.dumps({**values, "files": {"weights.safetensors": entry}}), encoding="utf-8")
    with pytest.raises(ModelError, match="names no file and digest"):
        ForestModel.load(tmp_path / "model")


def _hold(folder: Path, held: Any, end: Any) -> None:
    with lock_model(folder):
        held.set()
        end.wait()


def test_a_second_training_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    held, end = multiprocessing.Event(), multiprocessing.Event()
    process = multiprocessing.Process(target=_hold, args=(folder, held, end))
    process.start()
    held.wait()
    with pytest.raises(InputError, match="another process is training"), lock_model(folder):
        pass
    with lock_model(tmp_path / "other"):
        pass
    end.set()
    process.join()
    with lock_model(folder):
        assert (tmp_path / "model.lock").exists()
    assert not list(tmp_path.iterdir())
