"""Loads parsers by name or folder: the bundled one, or benepar's.

Nothing here imports torch before a parser is loaded, so that a wrong name is refused at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from forest_align._version import __version__
from forest_align.parsing.parser import Lemmatizer, Parser
from forest_align.storage.fingerprints import files_fingerprint, model_files
from forest_align.system.processes import release_free_memory
from forest_align.types import InputError, ModelError

if TYPE_CHECKING:
    from forest_align.parsing.forests.decoding import SpanScorer

MODELS = Path(__file__).parent / "models"
_NEEDS_BENEPAR = "parsers in benepar's format need more packages: pip install 'forest-align[benepar]'"


def load_parser(
    name: str | Path = "en",
    *,
    forest_size: int = 10,
    least_ratio: float = 0.0,
    lemmatizer: Lemmatizer | None = None,
    posteriors: bool = True,
    vectors: bool = True,
    device: str = "cpu",
) -> Parser:
    """Load a parser.

    Parameters
    ----------
    name : str or Path
        ``"en"`` for the bundled English model, the name of an installed benepar model (``"benepar_en3"``), or
        a folder with one.
    forest_size : int
        How many of the best trees a forest packs at most; 0 for sentences with tags but no forest. With 0 and
        vectors, the bundled model tags words from their vectors, and the parser is not loaded.
    least_ratio : float
        Drop trees below this fraction of the best tree's probability; 0 keeps all.
    lemmatizer : callable, optional
        Called with a word and its tag; returns the lemma.
    posteriors : bool
        Whether the nodes of forests get their exact probabilities (:attr:`ParseForest.log_posterior`).
    vectors : bool
        Whether words get vectors, which most aligners read. They do not depend on the parser.
    device : str
        Where the networks compute: ``"cpu"``, ``"cuda"`` (a GPU), ``"cuda:1"``, or ``"auto"``, a GPU if there
        is one. A GPU computes in 16 bits, so the last digits of probabilities differ.

    Raises
    ------
    ModelError
        If there is no such model.
    InputError
        If there is no such device, or the model is in benepar's format and the device a GPU.

    Examples
    --------
    >>> from forest_align import load_parser
    >>> sentence = load_parser("en").parse("The cat sat on the mat.")
    >>> print(sentence.forest.bracket(sentence.words))
    (S (NP (DT The) (NN cat)) (VP (VBD sat) (PP (IN on) (NP (DT the) (NN mat)))) (. .))
    """
    from forest_align.parsing.networks.devices import find_device
    from forest_align.parsing.networks.vector_network import WordVectors
    from forest_align.parsing.networks.word_tagger import WordTagger

    place = find_device(device)
    tagger = WordTagger.read() if name == "en" and vectors and not forest_size else None
    scorer = None if tagger else load_span_parser(name, device)
    # The bundled parser reads the encoder of the vectors: it is loaded once.
    shared = scorer and scorer.word_vectors
    parser = Parser(
        scorer,
        vectors=(shared or WordVectors(device=place)) if vectors else None,
        forest_size=forest_size,
        least_ratio=least_ratio,
        lemmatizer=lemmatizer,
        posteriors=posteriors,
        tagger=tagger,
        device=place.place,
    )
    release_free_memory()
    full_name, contents = str(name), {"forest-align": __version__}
    if tagger is None:  # with it, no file of the parser is read
        full_name, contents["parser"] = parser_contents(name)
    arguments = {
        "name": full_name,
        "forest_size": forest_size,
        "least_ratio": least_ratio,
        "lemmatizer": lemmatizer,
        "posteriors": posteriors,
        "vectors": vectors,
        "device": device,
    }
    return parser.loaded_from(load_parser, arguments, contents)


def parser_contents(name: str | Path) -> tuple[str, str]:
    """The name of a parser, or its folder as an absolute path, and a digest of its files.

    The digest is empty if there is no such parser, which loading it reports.
    """
    try:
        folder = locate_parser(str(name))
    except ModelError:
        return str(name), ""
    full_name = str(folder.resolve()) if folder == Path(name) else str(name)
    return full_name, files_fingerprint(model_files(folder))


# Constituent recall against the Stanford trees of Edinburgh++ train (250 pairs,
# benchmarks/quality/measure_forest.py) is 83.8 with one tree and 84.4 with ten. It is 85.0 with those of the
# ten that are at least a tenth as probable as the best.
_LEAST_RATIO_FOR_ALIGNMENT = 0.1


def load_parser_for_alignment(
    name: str | Path = "en", *, forest_size: int = 10, vectors: bool = True, device: str = "cpu"
) -> Parser:
    """Load a parser for the aligners: with lemmas, but without improbable trees and posteriors.

    Raises ModelError, InputError as for :func:`load_parser`.
    """
    from forest_align.lexicon.lexicon import load_lexicon

    return load_parser(
        name,
        forest_size=forest_size,
        least_ratio=_LEAST_RATIO_FOR_ALIGNMENT,
        lemmatizer=load_lexicon().lemma,
        posteriors=False,
        vectors=vectors,
        device=device,
    )


def load_span_parser(name_or_folder: str | Path, device: str = "cpu") -> SpanScorer:
    """Load a parser."""
    from forest_align.parsing.networks.devices import find_device
    from forest_align.parsing.networks.model_files import SECTION, read_config

    folder = locate_parser(str(name_or_folder))
    config, place = read_config(folder), find_device(device)
    if SECTION in config:
        from forest_align.parsing.networks.encoder_scorer import EncoderScorer

        return EncoderScorer.read(folder, device=place)
    if "benepar" in config:
        if place.place != "cpu":
            message = (
                f"the parser {str(name_or_folder)!r} is in benepar's format, which is for processors only"
            )
            raise InputError(message, field="device")
        try:
            from forest_align.parsing.networks.benepar_parser import BeneparScorer
        except ImportError as error:
            raise ModelError(f"{folder}: {error}; {_NEEDS_BENEPAR}") from None
        return BeneparScorer(folder)
    raise ModelError(f"{folder}: config.json has neither a section {SECTION!r} nor a section 'benepar'")


def locate_parser(name: str) -> Path:
    """Find the folder of a model: bundled, given by path, or installed for nltk."""
    bundled = sorted(path.name for path in MODELS.iterdir() if path.is_dir()) if MODELS.is_dir() else []
    if name in bundled:
        return MODELS / name
    if Path(name).is_dir():
        return Path(name)
    if "/" not in name and "." not in name:
        import nltk.data

        try:
            return Path(str(nltk.data.find(f"models/{name}")))
        except LookupError:
            pass
    raise ModelError(
        f"no parser {name!r}: it is none of the bundled ones ({', '.join(bundled) or 'none'}), "
        "no folder, and no benepar model installed for nltk"
    )
