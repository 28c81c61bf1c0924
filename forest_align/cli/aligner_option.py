"""``--aligner``: the names of the bundled aligners, and what each is for."""

from __future__ import annotations

import argparse
from typing import Any

from forest_align.cli.typed_options import option

#: Bundled aligners, and what each is for.
ALIGNERS = {
    "forest": "words, and phrases of both parse trees (the default)",
    "contextual": "words; the fastest",
    "semi-markov": "words, and phrases of up to three words, without trees or word vectors",
    "joint": "words and phrases; the best word links on Edinburgh++, the slowest",
    "projection": "words, and phrases of the best trees; phrases from your own links (--words FILE)",
    "sultan": "words, by the rules of Sultan et al. (2014); give it --ppdb, as in the paper",
    "forest-published": "the system of Arase and Tsujii (2017), with our parser",
    "joint-published": "trained as Thadani, Martin and White (2012) did",
    "semi-markov-phrasal": "the model of Yao et al. (2013), trained on phrasal links",
    "semi-markov-tokens": "the same with single words",
    "uniform": "forest with weights of zero, to compare with and to train from",
    "fixed": "forest with weights set by hand, to compare with",
}


class _ChooseAligner(argparse.Action):
    """Stores the name of an aligner; ``help`` prints what each is for."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, name: Any, *_: object
    ) -> None:
        if name != "help":
            setattr(namespace, self.dest, name)
            return
        width = max(map(len, ALIGNERS))
        for aligner, summary in ALIGNERS.items():
            print(f"{aligner:<{width}}  {summary}", flush=True)
        parser.exit()


def aligner_option(what: str) -> Any:
    """``--aligner`` with the names of the bundled aligners."""
    return option(
        "--aligner",
        action=_ChooseAligner,
        choices=(*ALIGNERS, "help"),
        metavar="NAME",
        help=f"{what} ('--aligner help' explains the bundled ones); default: forest",
    )
