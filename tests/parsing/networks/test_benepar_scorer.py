"""Parsers in benepar's format: over BERT, in a folder; over T5, installed for nltk as benepar_en3 is."""

from __future__ import annotations

import json
import pickle
import shutil
import string
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from benepar.nkutil import HParams
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import BertConfig, BertTokenizerFast, T5Config, T5TokenizerFast

from forest_align.em.parser.training import HYPER_PARAMETERS
from forest_align.parsing import load_parser
from forest_align.parsing.forests.decoding import SpanScores
from forest_align.parsing.networks.benepar_parser import BeneparScorer, chart_parser
from forest_align.parsing.networks.vector_network import WordVectors
from forest_align.parsing.parser_loading import load_span_parser
from forest_align.types import InputError, ModelError

ChartParser: Any = chart_parser()
LABELS = ("", "NP", "S", "S::VP")
TAGS = ("UNK", "NN", "VB", ".")
WEIGHTS = "benepar_model.bin"
PARSER_SIZES = {"d_model": 16, "num_layers": 1, "num_heads": 2, "d_kv": 8, "d_ff": 16, "d_label_hidden": 12}
PARSER_SIZES |= {"d_tag_hidden": 12, "encoder_max_len": 40}
SIZES = {"vocab_size": 120, "num_layers": 2, "num_heads": 2, "d_model": 16, "d_kv": 8, "d_ff": 32}


def bert(folder: Path) -> None:
    """A two-layer BERT and an uncased tokenizer of single letters and a few words."""
    letters = [chr(code) for code in range(33, 127) if not chr(code).isupper()]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special, *letters, *(f"##{letter}" for letter in letters), "the", "cat"]
    (folder / "pieces.txt").write_text("\n".join(pieces))
    tokenizer = BertTokenizerFast(str(folder / "pieces.txt"), do_lower_case=True, model_max_length=40)
    tokenizer.save_pretrained(folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    BertConfig(vocab_size=len(pieces), max_position_embeddings=40, **sizes).save_pretrained(folder)


def t5(folder: Path) -> None:
    """A two-layer T5, of whose kind benepar_en3 is, and a tokenizer of single letters and a few words."""
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0), ("▁the", -1.0), ("▁cat", -1.0)]
    letters = [(letter, -3.0) for letter in string.ascii_letters + ".,()'-"]
    tokenizer = Tokenizer(models.Unigram([*pieces, *letters], unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    whole = T5TokenizerFast(tokenizer_object=tokenizer, extra_ids=0, model_max_length=60)
    whole.save_pretrained(folder)
    T5Config(**SIZES, decoder_start_token_id=0).save_pretrained(folder)


def export(encoder: Path, folder: Path) -> Path:
    """Write a parser over an encoder the way benepar's own export does it."""
    torch.manual_seed(5)
    tags, labels = ({name: index for index, name in enumerate(names)} for names in (TAGS, LABELS))
    parser = ChartParser(tags, labels, None, HParams(**{**HYPER_PARAMETERS, **PARSER_SIZES}), str(encoder))
    folder.mkdir(parents=True)
    parser.retokenizer.tokenizer.save_pretrained(str(folder))
    config = parser.pretrained_model.config
    config.benepar = {key: value for key, value in parser.config.items() if key != "pretrained_model_path"}
    config.save_pretrained(str(folder))
    torch.save(parser.state_dict(), folder / WEIGHTS)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A parser over each kind of encoder; that over T5 where nltk looks for benepar_en3."""
    found = {}
    for write in (bert, t5):
        encoder = tmp_path_factory.mktemp(f"{write.__name__}-encoder")
        write(encoder)
        where = tmp_path_factory.mktemp(write.__name__) / "models" / f"benepar_{write.__name__}"
        found[write.__name__] = export(encoder, where)
    return found


@pytest.fixture
def copy(folders: dict[str, Path], tmp_path: Path) -> Path:
    return shutil.copytree(folders["bert"], tmp_path / "copy")


def scored(found: SpanScores | InputError) -> SpanScores:
    assert isinstance(found, SpanScores), found
    return found


@pytest.mark.parametrize("kind", ["bert", "t5"])
def test_a_benepar_model_scores_as_it_does_in_benepar(folders: dict[str, Path], kind: str) -> None:
    words, spaces = ["The", "cat", "sat", "."], [True, True, False, True]
    example = SimpleNamespace(words=words, space_after=spaces, tree=None)
    expected = ChartParser.from_trained(str(folders[kind])).parse([example], return_scores=True)[0]
    found = scored(load_span_parser(folders[kind]).score([words])[0])
    upper = np.triu_indices(4)
    assert np.allclose(found.scores[upper], (expected - expected[..., :1])[upper], atol=1e-4)
    assert abs(found.scores).max() > 0
    assert found.labels == LABELS


@pytest.mark.parametrize("kind", ["bert", "t5"])
def test_sentences_get_the_tags_of_each_alone_in_benepar(folders: dict[str, Path], kind: str) -> None:
    reference = ChartParser.from_trained(str(folders[kind])).eval()
    sentences = [[], ["The", "cat", "sat", "."], ["cat"], ["(", "a", "cat", ")", "the", "b"]]
    blanks = [[True] * len(words) for words in sentences]
    parser = load_span_parser(folders[kind])
    scores = parser.score(sentences, blanks)
    assert isinstance(scores[0], InputError)
    tagged = parser.tag(sentences, blanks)
    assert isinstance(tagged[0], InputError) and tagged[1:] == [scored(one).tags for one in scores[1:]]
    for words, one in zip(sentences[1:], scores[1:], strict=True):
        size = len(words)
        with torch.no_grad():
            encoded = reference.retokenizer(words, [True] * size)
            batch = reference.pad_encoded([encoded])
            _, tags = reference.forward(batch)
        numbers = tags[0].argmax(-1).tolist()[1 : size + 1]
        assert scored(one).tags == tuple(reference.tag_from_index[number] for number in numbers)
        assert not scored(one).scores[np.tril_indices(size, -1)].any()


def test_a_benepar_model_is_told_where_blanks_are(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer, asked = BeneparScorer(folders["bert"]), []
    kind = type(scorer._parser.retokenizer)
    retokenize = kind.__call__

    def watched(retokenizer: Any, words: list[str], spaces: list[bool]) -> Any:
        asked.append((words, spaces))
        return retokenize(retokenizer, words, spaces)

    monkeypatch.setattr(kind, "__call__", watched)
    scorer.score([["-LRB-", "a", "cat"]], [[True, False, False]])
    assert asked == [(["(", "a", "cat"], [True, False, False])]


@pytest.mark.parametrize(("written", "expected"), [(None, True), (True, True), (False, False)])
def test_whether_the_root_must_be_labelled_is_in_the_configuration(
    copy: Path, written: bool | None, expected: bool
) -> None:
    config = json.loads((copy / "config.json").read_text())
    if written is None:
        del config["benepar"]["hparams"]["force_root_constituent"]  # older exports have none
    else:
        config["benepar"]["hparams"]["force_root_constituent"] = written
    (copy / "config.json").write_text(json.dumps(config))
    assert BeneparScorer(copy).force_root == expected


def test_a_benepar_model_reads_as_many_words_as_it_has_places(folders: dict[str, Path]) -> None:
    fits, is_longer = load_span_parser(folders["t5"]).score([["cat"] * 38, ["cat"] * 39])
    assert len(scored(fits).tags) == 38
    assert str(is_longer) == "sentence of 39 words is longer than the parser can read (38)"


def test_a_model_installed_for_nltk_is_found_by_its_name(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nltk.data.path", [str(folders["t5"].parents[1])])
    by_name, by_folder = load_parser("benepar_t5"), load_parser(folders["t5"])
    found = [parser.parse("the cat sat.") for parser in (by_name, by_folder)]
    assert found[0].words == ("the", "cat", "sat", ".")
    forests = [sentence.forest for sentence in found]
    assert forests[0] is not None and forests[1] is not None
    assert forests[0].to_json() == forests[1].to_json()


def test_words_have_the_bundled_vectors_whatever_the_parser(folders: dict[str, Path]) -> None:
    sentence = load_parser(folders["bert"]).parse("the cat sat.")
    assert sentence.vectors is not None
    np.testing.assert_array_equal(sentence.vectors, WordVectors()([sentence.words])[0])
    assert load_parser(folders["bert"], vectors=False).parse("the cat sat.").vectors is None


@pytest.mark.parametrize("kind", ["bert", "t5"])
def test_a_benepar_model_takes_odd_input_and_names_what_is_too_long(
    folders: dict[str, Path], kind: str
) -> None:
    scores = load_span_parser(folders[kind]).score(
        [["a", "\ud800", "🙂", "\x00"], ["a"] * 100, [], ["(", "b", ")"], ["שלום", "é"]]
    )
    assert [isinstance(one, InputError) for one in scores] == [False, True, True, False, False]
    for one in scores:
        if isinstance(one, SpanScores):
            assert np.isfinite(one.scores).all()


def test_words_that_a_tokenizer_drops_are_replaced_or_named(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    # benepar marks such a word with -100, and adds 1 to that over T5.
    for kind, mark in (("bert", -100), ("t5", -99)):
        scorer = load_span_parser(folders[kind])
        encoded = {"words_from_tokens": [0, mark, 1]}
        monkeypatch.setattr(scorer._parser, "retokenizer", lambda words, spaces, encoded=encoded: encoded)
        (found,) = scorer.score([["a"]])
        assert isinstance(found, InputError) and "drops some of them" in str(found)


def test_positions_that_older_exports_hold_are_passed_over(copy: Path) -> None:
    words = [["The", "cat", "sat", "."]]
    expected = scored(load_span_parser(copy).score(words)[0])
    weights = torch.load(copy / WEIGHTS, weights_only=True)
    positions = {"pretrained_model.embeddings.position_ids": torch.arange(40)[None]}
    torch.save({**weights, **positions}, copy / WEIGHTS)
    assert np.array_equal(scored(load_span_parser(copy).score(words)[0]).scores, expected.scores)
    torch.save({**weights, "of another network": torch.zeros(2)}, copy / WEIGHTS)
    with pytest.raises(ModelError, match="of another network"):
        load_span_parser(copy)


def test_a_benepar_file_that_would_run_code_is_refused(copy: Path, tmp_path: Path) -> None:
    class Harmful:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "ran",))

    (copy / WEIGHTS).write_bytes(pickle.dumps(Harmful()))
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_span_parser(copy)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("damaged", "content"),
    [(WEIGHTS, b""), (WEIGHTS, None), *((f"{name}.json", b"{}") for name in ("config", "tokenizer"))],
)
def test_a_damaged_benepar_folder_is_a_model_error(copy: Path, damaged: str, content: bytes | None) -> None:
    path = copy / damaged
    if content is not None:
        path.write_bytes(content)
    else:
        path.unlink()
    with pytest.raises(ModelError):
        load_span_parser(copy)


def test_benepar_weights_that_are_not_numbers_are_a_model_error(copy: Path) -> None:
    weights = torch.load(copy / WEIGHTS, weights_only=True)
    name = next(iter(weights))
    torch.save({**weights, name: torch.full_like(weights[name], torch.nan)}, copy / WEIGHTS)
    with pytest.raises(ModelError, match="expected finite weights"):
        load_span_parser(copy)
