"""Find an aligner by its name, or by the kind of a model's folder."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from forest_align._version import __version__
from forest_align.aligners.base import BATCH_SIZE, Aligner
from forest_align.aligners.model_folder import bundled_models, model_folder, read_card
from forest_align.aligners.pair import GivenWords, Pairs, Text
from forest_align.alignment import Alignment
from forest_align.parsing.networks.devices import check_device, find_device
from forest_align.parsing.parser_loading import parser_contents
from forest_align.storage.fingerprints import files_fingerprint, model_files
from forest_align.types import InputError, ModelError

if TYPE_CHECKING:
    from forest_align.aligners.contextual.aligner import ContextualAligner
    from forest_align.aligners.forest.aligner import ForestAligner
    from forest_align.aligners.joint.aligner import JointAligner
    from forest_align.aligners.parsing_aligner import ParsingAligner
    from forest_align.aligners.projection_aligner import ProjectionAligner
    from forest_align.aligners.semi_markov.aligner import SemiMarkovAligner
    from forest_align.aligners.sultan.aligner import SultanAligner

# The module and class of each kind of aligner; a module is imported only when needed.
_KINDS = {
    "forest": ("forest_align.aligners.forest.aligner", "ForestAligner"),
    "contextual": ("forest_align.aligners.contextual.aligner", "ContextualAligner"),
    "sultan": ("forest_align.aligners.sultan.aligner", "SultanAligner"),
    "semi-markov": ("forest_align.aligners.semi_markov.aligner", "SemiMarkovAligner"),
    "joint": ("forest_align.aligners.joint.aligner", "JointAligner"),
    "projection": ("forest_align.aligners.projection_aligner", "ProjectionAligner"),
}


@overload
def load(
    name_or_path: Literal["forest", "forest-published", "fixed", "uniform"] = "forest", **options: Any
) -> ForestAligner: ...
@overload
def load(name_or_path: Literal["contextual"], **options: Any) -> ContextualAligner: ...
@overload
def load(name_or_path: Literal["sultan"], **options: Any) -> SultanAligner: ...
@overload
def load(
    name_or_path: Literal["semi-markov", "semi-markov-phrasal", "semi-markov-tokens"], **options: Any
) -> SemiMarkovAligner: ...
@overload
def load(name_or_path: Literal["joint", "joint-published"], **options: Any) -> JointAligner: ...
@overload
def load(name_or_path: Literal["projection"], **options: Any) -> ProjectionAligner: ...
@overload
def load(name_or_path: str | Path, **options: Any) -> Aligner: ...
def load(name_or_path: str | Path = "forest", **options: Any) -> Aligner:
    """Load an aligner: a bundled model by name, or a model's folder.

    Parameters
    ----------
    name_or_path : str or Path
        ``"forest"``, ``"forest-published"``, ``"fixed"``, ``"uniform"``, ``"contextual"``, ``"sultan"``,
        ``"semi-markov"``, ``"semi-markov-phrasal"``, ``"semi-markov-tokens"``, ``"joint"``,
        ``"joint-published"``, ``"projection"``, or a folder that :meth:`Aligner.save` wrote. The name of a
        kind of aligner loads its main model. Three other models are forest aligners: ``"forest-published"``
        is the paper's system with our parser, ``"fixed"`` has weights set by hand, not learned, and
        ``"uniform"`` has weights of zero. ``"semi-markov-phrasal"`` links phrases as wholes;
        ``"semi-markov"`` links their words one by one. ``"semi-markov-tokens"`` knows no phrases and reads
        both sentences. ``"joint-published"`` is trained in the way of the paper. ``"projection"`` is the
        baseline of phrase alignment.
    **options
        Options of the constructor, described in the class of that kind. The options of the command line are
        in brackets.

        - All: ``parser`` (``--parser``), a parser or its name or folder; ``lexicon``; ``ppdb`` (``--ppdb``),
          your paraphrases, as a :class:`~forest_align.lexicon.pair_table.PairTable` or the path of a file;
          ``device`` (``--device``), where the networks compute, see :func:`forest_align.load_parser`.
        - ``forest``: ``candidates`` (``--words``), a name that
          :func:`~forest_align.aligners.words.choose.word_candidates` knows, or a provider; ``alignments``
          (``-k``); ``paraphrases``, whether to compute the paraphrase probability; ``links``.
        - ``contextual``: ``threshold``; ``links``.
        - ``projection``: ``threshold``.
        - ``sultan``: ``annotator`` (``--annotator``).
        - ``joint``: ``link_model``; ``links``.

        ``links`` (``--links``) is the convention of annotators that links follow: ``"sure"``, the default, or
        ``"all"``, where possible links count too.

    Raises
    ------
    ModelError
        If there is no such aligner or model.
    InputError
        If this kind of aligner does not have such an option, or does not accept its value.

    Examples
    --------
    >>> import forest_align
    >>> aligner = forest_align.load("forest", candidates="contextual")
    >>> aligner.align("The cat sat.", "A cat was sitting.").words.to_pharaoh()
    '1-1 2-3 3-4'
    """
    kind = kind_of(name_or_path)
    module, class_name = _KINDS[kind]
    aligner_class = getattr(importlib.import_module(module), class_name)
    device = _found_device(options)
    given = {name: value for name, value in options.items() if name != "device"}
    _check_options(kind, aligner_class, given)
    aligner: ParsingAligner = aligner_class.load(name_or_path, **given)
    aligner.device = device
    with model_folder(name_or_path) as folder:
        digest = files_fingerprint(model_files(folder))
        aligner.made_by = {**aligner.made_by, "model": folder.resolve().name, "digest": digest}
    name = str(name_or_path)
    name = name if name in bundled_models() else str(Path(name).resolve())
    arguments, contents = _arguments_of(options)
    contents = {"forest-align": __version__, "model": digest, **contents}
    return aligner.loaded_from(load, {"name_or_path": name, **arguments}, contents)


def _arguments_of(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Options as another process needs them, with absolute paths; and digests of the files that they name."""
    arguments, contents = dict(options), {}
    if isinstance(parser := options.get("parser"), str | Path):
        arguments["parser"], digest = parser_contents(parser)
        contents["parser"] = digest
    if isinstance(table := options.get("ppdb"), str | Path):
        path = Path(table).resolve()
        arguments["ppdb"], contents["paraphrases"] = str(path), files_fingerprint([path])
    return arguments, contents


def _found_device(options: Mapping[str, Any]) -> str:
    """The device of the options, cpu or a GPU; refused here if it is not there or would have no effect."""
    name, parser = check_device(options.get("device", "cpu")), options.get("parser")
    if name == "cpu":
        return name
    if not (parser is None or isinstance(parser, str | Path)):
        message = "expected the name or folder of a parser beside a device; a loaded parser has its own"
        raise InputError(message, field="device")
    return find_device(name).place


def _check_options(kind: str, aligner_class: type[Aligner], options: Iterable[str]) -> None:
    """Refuse options that the constructor does not take as keywords; :func:`load` supplies the model."""
    parameters = inspect.signature(aligner_class).parameters.values()
    known = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    for name in options:
        if name == "variant":
            raise InputError("variant is gone: load 'sultan' or 'forest-published'")
        if name not in known:
            expected = ", ".join((*known, "device"))
            raise InputError(f"the {kind} aligner has no option {name!r}; expected one of {expected}")


def kind_of(name_or_path: str | Path) -> str:
    """The kind of aligner that :func:`load` would return."""
    bundled = bundled_models()
    if str(name_or_path) in bundled:
        return bundled[str(name_or_path)]
    try:
        kind = str(read_card(name_or_path)["format"])
    except ModelError as error:
        raise ModelError(
            f"no aligner {str(name_or_path)!r}: expected {', '.join(bundled)}, or a model's folder; {error}"
        ) from None
    if kind not in _KINDS:
        raise ModelError(f"the model in {str(name_or_path)!r} is of the unknown kind {kind!r} (format)")
    return kind


def align(
    source: Text,
    target: Text,
    candidates: GivenWords | None = None,
    *,
    aligner: str | Path | Aligner = "forest",
) -> Alignment:
    """Align two sentences with an aligner or the name of one; see :meth:`Aligner.align`.

    With a name, each call loads the models again, which takes seconds. For more than one pair, pass the
    result of :func:`load`, or use :func:`align_many`.
    """
    return (aligner if isinstance(aligner, Aligner) else load(aligner)).align(source, target, candidates)


def align_many(
    pairs: Pairs,
    *,
    aligner: str | Path | Aligner = "forest",
    batch_size: int = BATCH_SIZE,
    workers: int = 1,
) -> Iterator[Alignment]:
    """Align a stream of pairs with an aligner or the name of one; see :meth:`Aligner.align_many`."""
    chosen = aligner if isinstance(aligner, Aligner) else load(aligner)
    return chosen.align_many(pairs, batch_size=batch_size, workers=workers)
