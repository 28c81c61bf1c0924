"""The span-scoring parser: benepar's chart parser over a small encoder, as one fast forward pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from forest_align.parsing.benepar_modules import ChartParser, HParams
from forest_align.parsing.encoder_batches import CASE_COUNT, WordEncoder, collate, length_batches
from forest_align.parsing.model_files import (
    SECTION,
    ParserConfig,
    parser_config,
    read_config,
    read_weights,
)
from forest_align.parsing.span_scores import SpanScorer, SpanScores
from forest_align.types import InputError, ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from forest_align.parsing.encoder_batches import EncodedSentence, EncoderBatch

MODELS = Path(__file__).parent / "models"

#: Subwords a batch, padding included, and spans scored at once: large enough to keep two cores busy.
BATCH_SUBWORDS = 1500
SPAN_CHUNK = 16384
#: Spans are scored in multiples of so many.
SPAN_STEP = 256


@dataclass(frozen=True, slots=True)
class BatchScores:
    """What one forward pass gives for B sentences.

    Attributes
    ----------
    spans : torch.Tensor
        ``[N, L - 1]``: scores of the labels other than the empty one, for all closed spans of all sentences,
        in the order of :func:`span_index`.
    tags : torch.Tensor
        ``[B, W + 2, T]`` tag scores; the first and the last word row are the start and stop symbols.
    subword_vectors : torch.Tensor
        ``[B, S, D]``: hidden states of the vector layer.
    """

    spans: torch.Tensor
    tags: torch.Tensor
    subword_vectors: torch.Tensor


def span_index(lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """List the closed spans of a batch: sentence, first word, last word, each int64 ``[N]``, row by row."""
    longest = int(lengths.max())
    first, last = torch.triu_indices(longest, longest)
    inside = last[None, :] < lengths[:, None]
    sentence, which = inside.nonzero(as_tuple=True)
    return sentence, first[which], last[which]


class SpanParser(ChartParser):
    """benepar's chart parser with letter-case features and a forward pass that skips half the chart.

    Parameters
    ----------
    tag_vocab, label_vocab : mapping of str to int
        As in benepar; the empty label is 0.
    hparams : mapping
        benepar's hyper-parameters.
    pretrained_model_path : str or Path
        Local folder with the encoder's ``config.json`` and its tokenizer.
    vector_layer : int
        Encoder layer whose hidden states serve as word vectors.
    """

    def __init__(
        self,
        tag_vocab: Mapping[str, int],
        label_vocab: Mapping[str, int],
        hparams: Mapping[str, Any],
        pretrained_model_path: str | Path,
        vector_layer: int = 4,
    ) -> None:
        super().__init__(
            dict(tag_vocab), dict(label_vocab), None, HParams(**hparams), str(pretrained_model_path)
        )
        self.pretrained_model.pooler = None
        self.vector_layer = vector_layer
        self.case_embedding = nn.Embedding(CASE_COUNT, self.pretrained_model.config.hidden_size)
        nn.init.normal_(self.case_embedding.weight, std=0.02)

    def forward(self, batch: EncoderBatch) -> BatchScores:
        """Score every span and tag of a batch; equals benepar's own forward pass (apart from case)."""
        hidden = self.pretrained_model(
            batch.subwords, attention_mask=batch.subword_mask, output_hidden_states=True
        ).hidden_states
        rows = torch.arange(len(batch.subwords))[:, None]
        features = hidden[-1][rows, batch.word_ends] + self.case_embedding(batch.cases)
        features = features * batch.word_mask[:, :, None]
        content = self.project_pretrained(features)
        annotations = self.encoder(self.add_timing(self.morpho_emb_dropout(content)), batch.word_mask)
        annotations = torch.cat([annotations[..., 0::2], annotations[..., 1::2]], -1)
        return BatchScores(
            self._span_scores(annotations, batch.lengths), self.f_tag(annotations), hidden[self.vector_layer]
        )

    def _span_scores(self, annotations: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Score labels of all spans; the first layer is linear, so it is applied to fenceposts, not spans."""
        half = self.d_model // 2
        posts = torch.cat([annotations[:, :-1, :half], annotations[:, 1:, half:]], -1)
        first_layer, norm, activation, output = self.f_label
        posts = nn.functional.linear(posts, first_layer.weight)
        sentence, first, last = span_index(lengths)
        count = posts.shape[1]
        flat = posts.reshape(-1, posts.shape[-1])
        chunks = []
        # Chunks keep the memory of long sentences bounded: hidden layers are wider than the scores.
        for chosen in torch.arange(len(sentence)).split(SPAN_CHUNK):
            # The library keeps code and memory for every number of rows that it has met: let there be few.
            rows = nn.functional.pad(chosen, (0, -len(chosen) % SPAN_STEP))
            offset = sentence[rows] * count
            spans = flat.index_select(0, offset + last[rows] + 1)
            spans = spans - flat.index_select(0, offset + first[rows])
            chunks.append(output(activation(norm(spans + first_layer.bias)))[: len(chosen)])
        return torch.cat(chunks)


def word_vectors(subword_vectors: torch.Tensor, batch: EncoderBatch) -> torch.Tensor:
    """Average the subwords of each word and scale to unit length: float32 ``[B, W, D]``."""
    sums = torch.cumsum(subword_vectors.float(), 1)
    ends = batch.word_ends[:, :-1]
    rows = torch.arange(len(sums))[:, None]
    size = (ends[:, 1:] - ends[:, :-1]).clamp_min(1)
    means = (sums[rows, ends[:, 1:]] - sums[rows, ends[:, :-1]]) / size[:, :, None]
    return nn.functional.normalize(means, dim=-1)


class EncoderScorer:
    """Scores sentences with a :class:`SpanParser`.

    Parameters
    ----------
    parser : SpanParser
        In evaluation mode, in the arithmetic that it shall use.
    encode : WordEncoder
        Its encoder's tokenizer.
    config : ParserConfig
        Names of its labels and tags, and its temperature.
    """

    def __init__(self, parser: SpanParser, encode: WordEncoder, config: ParserConfig) -> None:
        self.parser, self.labels = parser, config.labels
        self.force_root = bool(config.hparams["force_root_constituent"])
        self.longest = min(
            parser.pretrained_model.config.max_position_embeddings, config.hparams["encoder_max_len"]
        )
        self._encode, self._tag_names, self._temperature = encode, config.tags, config.temperature

    @classmethod
    def read(cls, folder: Path, dtype: torch.dtype | None = None) -> EncoderScorer:
        """Read a folder written by :func:`forest_align.parsing.model_files.write_model`.

        Parameters
        ----------
        folder : Path
            Nothing in it can run code.
        dtype : torch.dtype, optional
            Arithmetic of the forward pass; by default bfloat16 where the processor has it, else float32.

        Raises
        ------
        ModelError
            When a file is missing or damaged, or does not fit the parser.
        """
        config = parser_config(folder, read_config(folder))
        parser, encode = _build(folder, config)
        try:
            parser.load_state_dict(read_weights(folder))
        except RuntimeError as error:
            raise ModelError(f"{folder / 'model.safetensors'}: does not fit config.json: {error}") from None
        return cls(parser.to(dtype or native_dtype()).eval(), encode, config)

    def score(
        self, batch: Sequence[Sequence[str]], space_after: Sequence[Sequence[bool]] | None = None
    ) -> list[SpanScores | InputError]:
        """Score tokenized sentences; see :class:`SpanScorer`. ``space_after`` makes no difference."""
        results: list[SpanScores | InputError | None] = [None] * len(batch)
        usable, encoded = [], []
        for place, words in enumerate(batch):
            sentence = self._encode(words)
            error = self._unusable(sentence)
            if error is None:
                usable.append(place)
                encoded.append(sentence)
            else:
                results[place] = error
        for items in length_batches([len(sentence.subwords) for sentence in encoded], BATCH_SUBWORDS):
            for item, scores in zip(items, self._forward([encoded[item] for item in items]), strict=True):
                results[usable[item]] = scores
        return results  # type: ignore[return-value]

    def _unusable(self, sentence: EncodedSentence) -> InputError | None:
        words, subwords = len(sentence.word_ends), len(sentence.subwords)
        if words == 0:
            return InputError("a sentence without words cannot be parsed")
        if max(words + 2, subwords) > self.longest:
            return InputError(
                f"sentence of {words} words ({subwords - 2} subwords) is longer than the parser can read "
                f"({self.longest - 2} subwords)"
            )
        return None

    def _forward(self, sentences: list[EncodedSentence]) -> list[SpanScores]:
        batch = collate(sentences)
        with torch.inference_mode():
            raw = self.parser(batch)
            spans = (raw.spans.float() / self._temperature).numpy()
            # Tag 0 stands for tags that training has not seen.
            tags = (raw.tags[..., 1:].argmax(-1) + 1).numpy()
            vectors = word_vectors(raw.subword_vectors, batch).numpy()
        found, start = [], 0
        for row, size in enumerate(batch.lengths.tolist()):
            first, last = _upper_triangle(size)
            scores = np.zeros((size, size, len(self.labels)), dtype=np.float32)
            scores[first, last, 1:] = spans[start : start + len(first)]
            start += len(first)
            names = tuple(self._tag_names[tag] for tag in tags[row, 1 : size + 1])
            found.append(SpanScores(scores, self.labels, names, vectors[row, :size].copy(), self.force_root))
        return found


def _build(folder: Path, config: ParserConfig) -> tuple[SpanParser, WordEncoder]:
    """A parser with weights yet to be read, and its tokenizer."""
    try:
        parser = SpanParser(
            {tag: index for index, tag in enumerate(config.tags)},
            {label: index for index, label in enumerate(config.labels)},
            config.hparams,
            folder,
            config.vector_layer,
        )
        encode = WordEncoder(folder)
    except Exception as error:  # benepar, transformers and tokenizers raise many kinds for what they miss
        raise ModelError(f"{folder}: config.json or tokenizer.json cannot be used: {error}") from error
    layers = parser.pretrained_model.config.num_hidden_layers
    if not 0 <= config.vector_layer <= layers:
        found = f"expected a vector_layer from 0 to {layers}, found {config.vector_layer}"
        raise ModelError(f"{folder / 'config.json'}: {found}")
    return parser, encode


@lru_cache(maxsize=256)
def _upper_triangle(size: int) -> tuple[np.ndarray, np.ndarray]:
    return np.triu_indices(size)


def native_dtype() -> torch.dtype:
    """Return bfloat16 where the processor multiplies it in hardware, else float32."""
    has_bfloat16 = getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    return torch.bfloat16 if has_bfloat16() else torch.float32


def load_span_parser(name_or_folder: str | Path) -> SpanScorer:
    """Load a parser.

    Parameters
    ----------
    name_or_folder : str or Path
        ``"en"`` for the bundled one; a folder in this package's format or in benepar's export format; or the
        name of a benepar model installed for nltk, such as ``"benepar_en3"``.

    Returns
    -------
    SpanScorer

    Raises
    ------
    ModelError
        When there is no such model, or its files are damaged.
    """
    folder = _locate(str(name_or_folder))
    config = read_config(folder)
    if SECTION in config:
        return EncoderScorer.read(folder)
    if "benepar" in config:
        from forest_align.parsing.benepar_scorer import BeneparScorer

        return BeneparScorer(folder)
    raise ModelError(f"{folder}: config.json describes neither a forest-align nor a benepar parser")


def _locate(name: str) -> Path:
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
