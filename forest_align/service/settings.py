"""What the service offers, accepts and waits for; a pair that is asked for, and what became of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus


class RequestError(Exception):
    """A request, or a row of one, that cannot be answered: HTTP status, what was expected and found."""

    def __init__(self, status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.headers = status, message, dict(headers or {})


@dataclass(frozen=True, slots=True)
class ServiceLimits:
    """Limits of the service.

    Attributes
    ----------
    characters : int
        Characters of a sentence.
    body, row : int
        Bytes of a single pair, which a body or a row of a stream holds; enough for two sentences of
        four-byte characters, escaped in JSON.
    list_body, pairs : int
        Bytes and pairs of a list.
    read_ahead : int
        Bytes of a stream that are read before the pairs in them are aligned.
    in_flight : int
        Pairs of one request that wait for an aligner at the same time.
    alignments : int
        Alignments of a pair that can be asked for.
    requests : int
        Requests that align at the same time; others are told to come back.
    batch_pairs, batch_characters : int
        Pairs that are aligned together, and characters of their sentences.
    gather_seconds : float
        How long a worker that has just aligned several pairs waits for as many again.
    connections : int
        Open connections. One more closes the one that has waited longest for its client; if none waits for
        its client, the new one is told to come back.
    head : int
        Bytes of the first line of a request with its headers: a form with two sentences whose characters are
        escaped.
    idle_seconds : float
        Seconds that a client may take to send the head of a request, a row of a stream, or nothing at all, or
        to receive a part of an answer.
    body_seconds : float
        Seconds that the whole body of a request may take, unless it is a stream.
    align_seconds : float
        Seconds for a batch; a batch that takes longer is given up.
    load_seconds : float
        Seconds for the models of an aligner, at its first use.
    stop_seconds : float
        How long requests in flight may still take when the service stops.
    """

    characters: int = 2000
    body: int = 1 << 16
    row: int = 1 << 16
    list_body: int = 1 << 22
    pairs: int = 1000
    read_ahead: int = 1 << 23
    in_flight: int = 32
    alignments: int = 10
    requests: int = 256
    batch_pairs: int = 16
    batch_characters: int = 8000
    gather_seconds: float = 0.003
    connections: int = 512
    head: int = 1 << 16
    idle_seconds: float = 30.0
    body_seconds: float = 60.0
    align_seconds: float = 60.0
    load_seconds: float = 120.0
    stop_seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class ServedModel:
    """An aligner that the service offers.

    Attributes
    ----------
    kind, model, digest : str
        Kind of the aligner; name of the model or of its folder; hash of the model's files.
    """

    kind: str
    model: str
    digest: str


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """What a service offers, and to whom.

    Attributes
    ----------
    models : mapping of str to ServedModel
        The aligners by name.
    default : str
        Name of the aligner for pairs that name none.
    limits : ServiceLimits
        What it accepts.
    names : collection of str
        Names that the header ``Host`` may have; empty for any.
    origins : sequence of str
        Origins of other sites whose pages may use the service (CORS).
    """

    models: Mapping[str, ServedModel]
    default: str
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    names: Collection[str] = ()
    origins: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class PairRequest:
    """A pair that a client wants aligned."""

    source: str
    target: str
    aligner: str
    id: str = ""
    alignments: int = 1  # how many of the best ones to find


@dataclass(frozen=True, slots=True)
class PairResult:
    """What became of a pair."""

    status: int  # HTTP status: 200, or why there is no alignment
    line: str  # the alignment as a line of JSON, with the error if there is one
    error: str = ""
