"""An aligner that parses what comes unparsed: with the bundled parser unless another one is given."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from forest_align.aligners.base import Aligner
from forest_align.lexicon.paraphrases import paraphrase_table

if TYPE_CHECKING:
    from forest_align.lexicon.lexicon import Lexicon
    from forest_align.lexicon.pair_table import PairTable
    from forest_align.parsing import Parser


class ParsingAligner(Aligner):
    """An aligner with a lexicon and a parser, which makes one tree a sentence unless it wants more or none.

    Parameters
    ----------
    parser : Parser or str or Path, optional
        A parser, or the name or folder of one, which is loaded when needed; the bundled English one by
        default.
    lexicon : Lexicon, optional
        The bundled one by default, loaded when needed.
    ppdb : PairTable or str or Path, optional
        Paraphrases of the user, or their file, which is read at once.

    Attributes
    ----------
    ppdb : PairTable or None
        The paraphrases.

    Raises
    ------
    InputError
        If ``ppdb`` is none of these, or its file cannot be read.
    """

    def __init__(
        self,
        parser: Parser | str | Path | None,
        lexicon: Lexicon | None,
        ppdb: PairTable | str | Path | None,
    ) -> None:
        self._parser, self._lexicon = parser, lexicon
        self.ppdb = paraphrase_table(ppdb)

    @cached_property
    def parser(self) -> Parser:
        """The parser for sentences that need one."""
        given = self._parser or "en"
        return self._load_parser(given) if isinstance(given, str | Path) else given

    def _load_parser(self, name: str | Path) -> Parser:
        from forest_align.parsing import load_parser

        return load_parser(
            name,
            forest_size=int(self._reads_trees()),
            lemmatizer=self.lexicon.lemma,
            posteriors=False,
            vectors=self.reads_vectors(),
        )

    def _reads_trees(self) -> bool:
        """Whether the parser that is loaded shall give a tree."""
        return True

    def reads_vectors(self) -> bool:
        """Whether the parser that is loaded shall give word vectors."""
        return True

    @cached_property
    def lexicon(self) -> Lexicon:
        """The lexicon."""
        from forest_align.lexicon.lexicon import load_lexicon

        return self._lexicon or load_lexicon()
