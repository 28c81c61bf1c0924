"""The pages of the browser view: a form for two sentences, and the pairs of a file leafed through."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from forest_align.alignment import Alignment
from forest_align.alignment.html import PAGE_END, PAGE_START, to_section
from forest_align.alignment.svg import escaped

EXAMPLE = (
    "He passed away in New York City after a long illness.",
    "After being ill for a long time, he died in NYC.",
)

_STYLE = """
textarea { box-sizing: border-box; width: 100%; font: inherit; } label { font-weight: 600; }
form p { margin: .5em 0; } nav > * { margin-right: 1em; } nav form { display: inline; }
.error { font-weight: 600; } .weak { opacity: .15; } .p.weak { opacity: 1; border-bottom-color: transparent; }
tr[tabindex]:focus-visible { outline: 2px solid; } pre { overflow-x: auto; white-space: pre-wrap; }
"""

# What is less probable than the slider says fades: rows, boxes around phrases, links between the trees.
# Rows of the tables can be reached by the keyboard and light up like those that the pointer is on.
_SCRIPT = """
const probability = e => e.dataset.p !== undefined ? +e.dataset.p
  : e.tagName === "path" ? (e.getAttribute("stroke-opacity") - .25) / .75
  : parseFloat((e.title || e.lastElementChild.textContent).match(/[0-9.]+(?= ?[*]?$)/));
const slider = document.getElementById("threshold");
if (slider) {
  slider.closest("p").hidden = false;
  const fade = () => {
    document.getElementById("least").textContent = (+slider.value).toFixed(2);
    document.querySelectorAll("section tr[data-with], section .p, section svg path").forEach(e =>
      e.classList.toggle("weak", probability(e) < slider.value));
  };
  slider.addEventListener("input", fade);
  fade();
}
document.querySelectorAll("section tr[data-with]").forEach(row => {
  row.tabIndex = 0;
  row.addEventListener("focus", () => lit(row.closest("section"), row.dataset.with, true));
  row.addEventListener("blur", () => lit(row.closest("section"), row.dataset.with, false));
});
"""

_START = PAGE_START.replace("</style>", f'{_STYLE}</style>\n<link rel="icon" href="data:,">', 1)
_END = PAGE_END.replace("</body>", f"<script>{_SCRIPT}</script>\n</body>", 1)


def content_security_policy() -> str:
    """A policy for these pages: their own two scripts and nothing else may run, nothing may be loaded."""
    scripts = re.findall("<script>(.*?)</script>", _END, flags=re.DOTALL)
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in hashes)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


@dataclass(frozen=True, slots=True)
class Form:
    """What the form for two sentences shows.

    Attributes
    ----------
    aligners : sequence of str
        Names to choose from.
    aligner : str
        The one that is chosen.
    max_characters : int
        Longest sentence.
    source, target : str
        The sentences.
    pairs : int
        Number of pairs of the file that can be leafed through; 0 if there is no such file.
    """

    aligners: Sequence[str]
    aligner: str
    max_characters: int
    source: str = ""
    target: str = ""
    pairs: int = 0


def sentences_page(form: Form, alignment: Alignment | None = None, problem: str = "") -> str:
    """The page with the form, and below it what became of the sentences: an alignment or a problem."""
    body = [_form(form)]
    if problem:
        body.append(_problem(problem))
    if alignment is not None:
        section = _section(alignment).replace("<details><summary>trees", "<details open><summary>trees", 1)
        text = escaped(alignment.to_json())
        body += [_slider(), section]
        body.append(f"<details><summary>JSON</summary><pre>{text}</pre></details>\n")
    return _page(body)


def pairs_page(alignments: Iterable[tuple[int, Alignment]], first: int, size: int, total: int) -> str:
    """A page of the pairs of a file.

    Parameters
    ----------
    alignments : iterable of (int, Alignment)
        The alignments of this page, each with its line, counted from 1.
    first : int
        Line of the first of them.
    size : int
        Pairs a page.
    total : int
        Lines of the file.
    """
    sections = [f'<div id="line{line}">{_section(alignment)}</div>\n' for line, alignment in alignments]
    above, below = (_leaf(first, size, total, place) for place in ("above", "below"))
    return _page([above, _slider(), *sections, below])


def problem_page(problem: str) -> str:
    """A page that says why there are no pairs on it, with ways out."""
    links = '<a href="/pairs">the first pairs</a> <a href="/">align two sentences</a>'
    return _page([_problem(problem), f'<nav aria-label="Pages">{links}</nav>\n'])


def _problem(problem: str) -> str:
    return f'<p class="error" role="alert">{escaped(problem)}</p>\n'


def _page(body: Iterable[str]) -> str:
    return f"{_START}<main>\n{''.join(body)}</main>\n{_END}"


def _form(form: Form) -> str:
    choices = "".join(
        f"<option{' selected' if name == form.aligner else ''}>{escaped(name)}</option>"
        for name in form.aligners
    )
    boxes = "".join(
        f'<p><label for="{name}">{title}</label><br>\n<textarea id="{name}" name="{name}" rows="2" required '
        f'maxlength="{form.max_characters}" spellcheck="false">{escaped(text)}</textarea></p>\n'
        for name, title, text in (
            ("source", "First sentence", form.source),
            ("target", "Second sentence", form.target),
        )
    )
    example = urlencode({"source": EXAMPLE[0], "target": EXAMPLE[1]})
    leaf = f' · <a href="/pairs">the {form.pairs:,} pairs of the file</a>' if form.pairs else ""
    return (
        f'<form method="get" action="/">\n{boxes}'
        f'<p><label for="aligner">Aligner</label> <select id="aligner" name="aligner">{choices}</select>\n'
        f'<button>Align</button>\n<a href="/?{escaped(example)}">an example</a>{leaf}</p>\n</form>\n'
    )


def _slider() -> str:
    # Without scripts it could do nothing, so that one shows it.
    return (
        '<p hidden><label for="threshold">Fade what is less probable than</label>\n'
        '<input type="range" id="threshold" min="0" max="1" step="0.05" value="0"> '
        '<output id="least" for="threshold">0.00</output></p>\n'
    )


def _section(alignment: Alignment) -> str:
    return to_section(alignment).removesuffix("</section>\n") + _links(alignment) + "</section>\n"


def _links(alignment: Alignment) -> str:
    """Word links with their probabilities, as a table."""
    if not alignment.words:
        return ""
    scores = alignment.words.scores or (1.0,) * len(alignment.words)
    source, target = alignment.source.words, alignment.target.words
    rows = "".join(
        f'<tr data-with="s{i} t{j}" data-p="{score:.4f}"><td>{escaped(source[i])}</td>'
        f'<td>{escaped(target[j])}</td><td class="n">{score:.2f}</td></tr>'
        for (i, j), score in zip(alignment.words, scores, strict=True)
    )
    head = "<tr><th>source</th><th>target</th><th>probability</th></tr>"
    title = f"<summary>{len(scores)} word links</summary>"
    return f"<details>{title}<table>{head}{rows}</table></details>\n"


def _leaf(first: int, size: int, total: int, place: str) -> str:
    """Links to other pages of the file."""
    last = min(first + size - 1, total)
    parts = [f"<span>Pairs {first:,} to {last:,} of {total:,}</span>"]
    if first > 1:
        parts.append(f'<a rel="prev" href="/pairs?first={max(1, first - size)}">earlier</a>')
    if last < total:
        parts.append(f'<a rel="next" href="/pairs?first={last + 1}">later</a>')
    parts.append(
        f'<form method="get" action="/pairs"><label for="{place}">From pair</label> '
        f'<input type="number" id="{place}" name="first" min="1" max="{total}" value="{first}"> '
        "<button>Go</button></form>"
    )
    parts.append('<a href="/">align two sentences</a>')
    return f'<nav aria-label="Pages, {place}">{" ".join(parts)}</nav>\n'
