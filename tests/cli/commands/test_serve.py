"""The command ``serve``: its options, where it listens, and how it stops."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from starlette.testclient import TestClient

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.model_folder import bundled_models
from forest_align.alignment import Alignment
from forest_align.cli.commands import serve
from forest_align.types import Sentence

from ...command_line import CommandLine


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nothing.jsonl"], "No such file"),
        (["empty.jsonl"], "expected alignments that 'forest-align align' wrote, found nothing"),
        (["pairs.tsv"], "wrote, line 1 is none: not JSON"),
        (["--model", "nothing"], "no aligner 'nothing'"),
        (["--parser", "nope", "--host", "256.0.0.1"], "no parser 'nope'"),
        (["--host", "256.0.0.1", "--port", "0"], "cannot listen on 256.0.0.1"),
        (["one_broken.jsonl", "--host", "256.0.0.1", "--port", "0"], "cannot listen on 256.0.0.1"),
        (["--host", "ä" * 70, "--port", "0"], "cannot listen on ä"),
    ],
)
def test_what_cannot_be_served_is_told_at_once(
    options: list[str], message: str, tmp_path: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").touch()
    sentence = Sentence.from_words(["a"])
    (tmp_path / "one_broken.jsonl").write_text("{\n" + Alignment(sentence, sentence).to_json() + "\n")
    (tmp_path / "pairs.tsv").write_text("He died.\tHe passed away.\n" * 3)
    assert cli("serve", *options) == 2 and message in cli.err


@pytest.mark.parametrize("module", ["starlette", "uvicorn", "prometheus_client"])
def test_missing_packages_are_named_with_the_command_that_installs_them(module: str) -> None:
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from forest_align.cli import main; sys.exit(main(['serve', '--port', '0']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'forest-align[serve]'" in done.stderr and module in done.stderr


def test_a_model_is_that_of_its_own_kind_of_aligner_and_the_parser_that_of_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    loaded = []
    monkeypatch.setattr(
        serve, "load_aligner", lambda options: loaded.append((options.aligner, options.model, options.parser))
    )
    folder = str(tmp_path / "model")
    ContextualAligner().save(folder)
    for name in ("contextual", "forest"):
        serve._load(name, kind="contextual", model=folder, parser="en")
    assert loaded == [("contextual", folder, "en"), ("forest", None, "en")]
    models, default = serve._models(serve.ServeOptions(model=folder))
    assert default == "contextual" and models["contextual"].model == "model"
    assert models["contextual"].digest != models["forest"].digest and set(models) == set(bundled_models())


def test_every_bundled_aligner_can_be_chosen_and_options_are_passed_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cli: CommandLine
) -> None:
    apps: list[tuple[Any, Any]] = []
    monkeypatch.setattr("forest_align.service.aligning_process.AligningProcess", FakeProcess)
    monkeypatch.setattr(
        "forest_align.service.server.make_server",
        lambda app, limits: apps.append((app, limits)) or SimpleNamespace(run=lambda sockets: None),
    )
    folder = str(tmp_path / "model")
    ContextualAligner().save(folder)
    chosen = (
        ["--model", folder],
        ["--aligner", "contextual", "--workers", "2", "--timeout", "7", "--allow-origin", "https://a.b"],
        [],
    )
    FakeProcess.made.clear()
    for options in chosen:
        assert cli("serve", "--port", "0", *options) == 0
    pages = [TestClient(app, base_url="http://localhost").get("/").text for app, _ in apps]
    assert [re.findall("<option( selected)?>([^<]*)<", page.split(">nothing<")[0]) for page in pages] == [
        [(" selected" * (name == one), name) for name in bundled_models()]
        for one in ("contextual", "contextual", "forest")
    ]
    assert [limits.align_seconds for _, limits in apps] == [60, 7, 60]
    assert FakeProcess.made == [False, True, True, False]
    headers = {"Origin": "https://a.b"}
    allowed = [
        TestClient(app, base_url="http://localhost").get("/", headers=headers).headers for app, _ in apps
    ]
    assert ["access-control-allow-origin" in one for one in allowed] == [False, True, False]
    assert cli("serve", "--port", "0", "--model", folder, "--aligner", "forest") == 2
    assert "is for the aligner contextual, not forest" in cli.err


class FakeProcess:
    """Remembers how it was made."""

    made: ClassVar[list[bool]] = []

    def __init__(self, load: Any, limits: Any, *, one_thread: bool) -> None:
        self.made.append(one_thread)


@contextmanager
def command(*options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    # Whoever started the tests may ignore the signal; the command must not.
    code = (
        "import signal, sys\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    from forest_align.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, "serve", "--port", "0", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stdout is not None
        found = re.search("http://127.0.0.1:([0-9]+)/", run.stdout.readline())
        assert found
        try:
            yield run, int(found[1])
        finally:
            run.kill()


def ask(port: int, method: str, path: str, body: str | None = None) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request(method, path, body)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_the_command_says_where_it_listens_and_stops_when_it_is_asked_to(asked: signal.Signals) -> None:
    with command() as (run, port):
        status, text = ask(port, "GET", "/")
        # Every kind of aligner that has a bundled model can be chosen.
        assert status == 200
        assert "<option selected>forest</option>" in text and "<option>contextual</option>" in text
        run.send_signal(asked)
        _, errors = run.communicate()
    assert (run.returncode, errors) == (0, "\nforest-align serve: stopped\n")


def test_a_real_aligner_answers_clients_and_those_in_flight_before_it_stops() -> None:
    with command("--aligner", "contextual", "--workers", "2") as (run, port):
        body = json.dumps({"source": "He died.", "target": "He passed away.", "id": "7"})
        status, text = ask(port, "POST", "/align", body)
        assert (status, Alignment.from_json(text).words.to_pharaoh()) == (200, "0-0 1-1 1-2 2-3")
        many = json.dumps([json.loads(body)] * 50)
        answers: list[tuple[int, str]] = []
        clients = [
            threading.Thread(target=lambda: answers.append(ask(port, "POST", "/align", many)))
            for _ in range(4)
        ]
        for client in clients:
            client.start()
        while "forest_align_aligning_requests 4.0" not in ask(port, "GET", "/metrics")[1]:
            assert not answers
        run.send_signal(signal.SIGTERM)
        for client in clients:
            client.join()
        _, errors = run.communicate()
    assert (run.returncode, errors) == (0, "\nforest-align serve: stopped\n")
    assert [(status, len(json.loads(text))) for status, text in answers] == [(200, 50)] * 4
