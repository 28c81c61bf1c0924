"""How the bundled models were made: one command for the recipes whose results are committed.

    python -m forest_align.em.recipes NAME --help

``tools/rebuild_models.sh`` follows all of them in order.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from forest_align.types import InputError

#: Each recipe, and the module with its arguments (``add_arguments``) and its steps (``run``).
RECIPES = {
    "parser": "forest_align.em.parser.training",
    "parser-calibration": "forest_align.em.parser.calibration",
    "tagger": "forest_align.em.parser.tagger",
    "contextual": "forest_align.em.contextual.training",
    "all-links": "forest_align.em.contextual.all_links",
    "freer-links": "forest_align.em.joint.freer_links",
    "phrases": "forest_align.em.phrases.training",
    "judge": "forest_align.em.phrases.judge_training",
    "relations": "forest_align.em.phrases.relation_training",
    "phrase-options": "forest_align.em.phrases.tuning",
    "support": "forest_align.em.attribution.support_training",
    "edits": "forest_align.em.edits.edit_training",
    "paraphrases": "forest_align.em.sentence_pairs.training",
    "document-links": "forest_align.em.documents.training",
    "untuned": "forest_align.em.forest.untuned",
    "phrase-calibration": "forest_align.em.forest.calibrate",
    "parser-quality": "forest_align.eval.parser_quality",
}
_COMMAND = "python -m forest_align.em.recipes"


def main(arguments: Sequence[str] | None = None) -> int:
    """Follow the recipe that the first argument names."""
    names = argparse.ArgumentParser(prog=_COMMAND, description=(__doc__ or "").partition("\n")[0])
    names.add_argument("name", metavar="NAME", choices=RECIPES, help=", ".join(RECIPES))
    names.add_argument("arguments", metavar="…", nargs=argparse.REMAINDER, help="arguments of the recipe")
    chosen = names.parse_args(arguments)
    recipe = import_module(RECIPES[chosen.name])
    parser = argparse.ArgumentParser(
        prog=f"{_COMMAND} {chosen.name}",
        description=recipe.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    recipe.add_arguments(parser)
    try:
        recipe.run(parser.parse_args(chosen.arguments))
    except InputError as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
