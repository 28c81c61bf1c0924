from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from forest_align.aligners.contextual.aligner import ContextualAligner
from forest_align.aligners.model_folder import bundled_models
from forest_align.alignment import Alignment, Links
from forest_align.browser.line_index import LineIndex
from forest_align.browser.server import TIMEOUT, BrowserServer
from forest_align.browser.service import MAX_BODY, MAX_CHARACTERS, AlignerCache, BrowserService
from forest_align.cli import main
from forest_align.types import InputError, ModelError, Sentence


class FakeAligner:
    """Links equal words."""

    loaded = 0

    def __init__(self) -> None:
        type(self).loaded += 1

    def align(self, source: str, target: str) -> Alignment:
        if "fail" in source:
            raise InputError("cannot be parsed")
        if "bug" in source:
            raise ZeroDivisionError("oh")
        sides = [Sentence.from_words(text.split()) for text in (source, target)]
        links = [(i, j) for i, a in enumerate(sides[0].words) for j, b in enumerate(sides[1].words) if a == b]
        return Alignment(*sides, Links.of(links, scores=[0.5] * len(links)), aligner="fake")


def no_model() -> FakeAligner:
    raise ModelError("no weights")


class Client:
    """Asks a running server."""

    def __init__(self, server: BrowserServer) -> None:
        self.port = server.server_port

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, str, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode("utf-8")
        connection.close()
        return answer.status, text, dict(answer.getheaders())

    def align(self, **values: Any) -> tuple[int, dict[str, Any]]:
        status, text, headers = self.ask("POST", "/align", json.dumps(values))
        assert headers["Content-Type"] == "application/json; charset=utf-8"
        return status, json.loads(text)

    def raw(self, request: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            connection.sendall(request)
            return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    FakeAligner.loaded = 0
    path = tmp_path / "alignments.jsonl"
    fake = FakeAligner()
    lines = [fake.align(f"number {k}", f"number {k}").to_json() for k in range(1, 26)]
    path.write_text("\n".join([*lines[:4], '{"broken', *lines[5:]]) + "\n", encoding="utf-8")
    shelf = AlignerCache({"forest": FakeAligner, "missing": no_model}, "forest")  # type: ignore[dict-item]
    with BrowserServer("127.0.0.1", 0, BrowserService(shelf, LineIndex(path))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        FakeAligner.loaded = 0
        yield Client(server)
        server.shutdown()
        thread.join()


def test_two_sentences_give_their_alignment(client: Client) -> None:
    status, values = client.align(source="a b", target="b ä", id="x")
    assert status == 200
    alignment = Alignment.from_json(json.dumps(values))
    assert (alignment.id, alignment.words.pairs, alignment.target.text) == ("x", ((1, 0),), "b ä")


def test_a_whole_number_is_an_id_as_in_json_lines(client: Client) -> None:
    status, values = client.align(source="a b", target="b", id=7)
    assert (status, values["id"]) == (200, "7")


def test_aligners_are_loaded_when_they_are_asked_for_and_once(client: Client) -> None:
    assert client.ask("GET", "/")[0] == 200 and FakeAligner.loaded == 0
    threads = [threading.Thread(target=client.align, kwargs={"source": "a", "target": "a"}) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert FakeAligner.loaded == 1


@pytest.mark.parametrize("error", [ImportError("no package"), OSError("no file"), ModelError("no weights")])
def test_an_aligner_that_cannot_be_loaded_now_may_be_later(error: Exception) -> None:
    found: list[Any] = [error, FakeAligner()]

    def load() -> Any:
        if isinstance(one := found.pop(0), Exception):
            raise one
        return one

    service = BrowserService(AlignerCache({"forest": load}, "forest"))
    answers = [service.get("/?source=a&target=a") for _ in range(3)]
    assert [int(answer.status) for answer in answers] == [503, 200, 200]
    assert f"the aligner forest cannot be loaded: {error}".encode() in answers[0].body


def test_one_pair_is_aligned_at_a_time() -> None:
    both = threading.Barrier(2)

    class Waiting(FakeAligner):
        def align(self, source: str, target: str) -> Alignment:
            with suppress(threading.BrokenBarrierError):  # the other does not come
                both.wait(timeout=0.3)
                met.append(source)
            return super().align(source, target)

    met: list[str] = []
    shelf = AlignerCache({"forest": Waiting}, "forest")  # type: ignore[dict-item]
    threads = [threading.Thread(target=shelf.align, args=("forest", word, word)) for word in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not met


@pytest.mark.parametrize(
    ("values", "status", "message"),
    [
        ({"source": "a"}, 400, "field 'target': this field is required"),
        ({"source": "a", "target": 1}, 400, "expected a string"),
        ({"source": "a", "target": " "}, 400, "target: expected a sentence, found nothing"),
        ({"source": "a", "target": "b", "aligner": "x"}, 400, "expected one of: forest, missing"),
        ({"source": "a" * (MAX_CHARACTERS + 1), "target": "b"}, 413, f"at most {MAX_CHARACTERS} characters"),
        ({"source": "fail", "target": "b"}, 422, "cannot be parsed"),
        ({"source": "bug", "target": "b"}, 500, "ZeroDivisionError: oh"),
        ({"source": "a", "target": "b", "aligner": "missing"}, 503, "cannot be loaded: no weights"),
    ],
)
def test_what_cannot_be_aligned_is_told_with_its_status(
    values: dict[str, Any], status: int, message: str, client: Client, capfd: pytest.CaptureFixture[str]
) -> None:
    found, answer = client.align(**values)
    assert (found, list(answer)) == (status, ["error"])
    assert message in answer["error"]
    # The console hears of faults of the program, without a traceback, and of nothing else.
    assert capfd.readouterr().err.count("\n") == (1 if status == 500 else 0)


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "message"),
    [
        ("POST", "/align", b"{", {}, 400, "not JSON"),
        ("POST", "/align", b"\xff", {}, 400, "expected UTF-8"),
        ("POST", "/align", b"x" * (MAX_BODY + 1), {}, 413, f"at most {MAX_BODY} bytes"),
        ("POST", "/align", b"", {"Content-Length": "x"}, 400, "a number for Content-Length"),
        ("POST", "/align", b"", {"Content-Length": "9" * 5000}, 400, "a number for Content-Length"),
        ("POST", "/", b"", {}, 405, "expected GET"),
        ("POST", "/nothing", b"", {}, 404, "nothing at /nothing"),
        ("GET", "/align", None, {}, 405, "expected POST"),
        ("GET", "/../etc/passwd", None, {}, 404, "nothing at"),
        ("DELETE", "/", None, {}, 501, "Unsupported method"),
        ("GET", "/", None, {"Host": "evil.example"}, 403, "names of this machine"),
        ("GET", "/", None, {"Host": "[evil"}, 403, "names of this machine"),
    ],
)
def test_wrong_requests_are_told_as_json(
    method: str, path: str, body: Any, headers: dict[str, str], status: int, message: str, client: Client
) -> None:
    found, text, answered = client.ask(method, path, body, headers)
    assert found == status
    assert message in json.loads(text)["error"]
    if status == 405:
        assert answered["Allow"]


def test_other_names_of_this_machine_are_answered(client: Client) -> None:
    for host in ("localhost:9000", "127.0.0.1", "[::1]:1"):
        assert client.ask("GET", "/", headers={"Host": host})[0] == 200


def test_the_name_that_it_listens_on_is_answered_and_other_names_of_other_machines_are_not() -> None:
    with BrowserServer("127.0.0.1", 0, BrowserService(AlignerCache({}, "forest"))) as server:
        server.host = "My-Machine"  # as if that name led to this address
        assert server.knows("my-machine:8000") and server.knows("")
        assert not server.knows("my-machine.evil.example:8000")


def test_an_address_of_ipv6_can_be_listened_on() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        pytest.skip(f"needs IPv6: {error}")
    with BrowserServer("::1", 0, BrowserService(AlignerCache({}, "forest"))) as server:
        assert server.url == f"http://[::1]:{server.server_port}/" and server.knows("[::1]:8000")


@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("POST", "/align"), ("GET", "/no"), ("PUT", "/")])
def test_no_answer_is_kept_or_taken_for_something_else(method: str, path: str, client: Client) -> None:
    _, _, headers = client.ask(method, path, b"{}")
    assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_lines_that_are_no_request_do_not_stop_the_server(client: Client) -> None:
    assert b"Bad request version" in client.raw(b"nonsense nonsense nonsense\r\n\r\n")
    assert b"411 Length Required" in client.raw(b"POST /align HTTP/1.1\r\n\r\n")
    assert b"414" in client.raw(b"GET /" + b"a" * 70000 + b" HTTP/1.1\r\n\r\n")[:20]
    assert client.ask("GET", "/")[0] == 200


@pytest.mark.parametrize("claimed", [16 * MAX_BODY, 10**12])
def test_who_sends_too_much_is_heard_out_for_a_while_and_then_told(claimed: int, client: Client) -> None:
    """Closed before all is read, a connection would be reset and its answer lost."""
    head = f"POST /align HTTP/1.0\r\nContent-Length: {claimed}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", client.port), timeout=0.2) as connection:
        connection.sendall(head.encode() + bytes(8 * MAX_BODY))
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(20)
        connection.sendall(bytes(8 * MAX_BODY))
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.0 413 ") and f"bytes, found {claimed}".encode() in answer


def test_head_gives_the_headers_alone(client: Client) -> None:
    headers, body = client.raw(b"HEAD / HTTP/1.0\r\n\r\n").split(b"\r\n\r\n")
    assert headers.startswith(b"HTTP/1.0 200 ") and body == b""
    assert int(re.findall(b"Content-Length: ([0-9]+)", headers)[0]) > 1000


def test_a_connection_is_given_up_that_stays_silent() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, BrowserServer("127.0.0.1", 0, BrowserService(AlignerCache({}, "forest"))) as server:
        ours.sendall(b"GET / HTTP/1.0\r\n\r\n")
        server.finish_request(theirs, ("127.0.0.1", 1))
        assert theirs.gettimeout() == TIMEOUT and TIMEOUT > 0


def test_the_form_needs_no_script(client: Client) -> None:
    query = urlencode({"source": "a\r\nb", "target": "b c", "aligner": "forest"})
    status, text, headers = client.ask("GET", f"/?{query}")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert 'data-with="s1 t0"' in text and ">a b</textarea>" in text
    status, text, _ = client.ask("GET", "/?source=a")
    assert status == 400 and "target: expected a sentence" in text and ">a</textarea>" in text
    status, text, _ = client.ask("GET", "/?source=a&target=b&aligner=missing")
    assert status == 503 and "no weights" in text and "<option selected>missing</option>" in text


def test_what_is_typed_cannot_become_part_of_the_page(client: Client) -> None:
    attack = "</textarea><script>alert(1)</script><img src=x onerror=alert(1)>"
    for aligner in ("forest", attack):
        query = urlencode({"source": attack, "target": f"{attack} fail", "aligner": aligner})
        _, text, headers = client.ask("GET", f"/?{query}")
        assert text.count("<script>") == 2 and "<img" not in text
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert re.findall("script-src ([^;]*)", policy)[0].count("sha256-") == 2


def test_the_pairs_of_the_file_are_leafed_through(client: Client) -> None:
    _, text, _ = client.ask("GET", "/pairs?first=21")
    assert re.findall("Pair ([0-9]+) <", text) == ["21", "22", "23", "24", "25"]
    _, text, _ = client.ask("GET", "/pairs")
    assert text.count("<section>") == 10 and "alignments.jsonl:5: not JSON" in text


@pytest.mark.parametrize("first", ["26", "-1", "abc", "<b>", "9" * 5000])
def test_who_asks_for_pairs_that_are_not_there_gets_a_page_with_ways_out(first: str, client: Client) -> None:
    status, text, headers = client.ask("GET", f"/pairs?{urlencode({'first': first})}")
    assert (status, headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "expected 1 to 25" in text and 'href="/pairs"' in text and "<b>" not in text


def test_without_a_file_there_are_no_pairs() -> None:
    service = BrowserService(AlignerCache({}, "forest"))
    assert service.get("/pairs").status == 404
    assert b"/pairs" not in service.get("/").body


def test_pairs_of_any_characters_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "a\udcff.jsonl"  # a name that is no UTF-8
    path.write_text(FakeAligner().align("\ud83d x", "\0 x").to_json() + "\nbroken\n")
    page = BrowserService(AlignerCache({}, "forest"), LineIndex(path)).get("/pairs")
    assert page.status == 200 and page.body.decode("utf-8").count("<section>") == 2


def test_a_file_that_is_taken_away_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{}\n")
    service = BrowserService(AlignerCache({}, "forest"), LineIndex(path))
    path.unlink()
    assert b"No such file" in service.get("/pairs").body


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
    options: list[str],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").touch()
    sentence = Sentence.from_words(["a"])
    (tmp_path / "one_broken.jsonl").write_text("{\n" + Alignment(sentence, sentence).to_json() + "\n")
    (tmp_path / "pairs.tsv").write_text("He died.\tHe passed away.\n" * 3)
    assert main(["serve", *options]) == 2
    assert message in capsys.readouterr().err


def test_a_model_is_that_of_its_own_kind_of_aligner_and_the_parser_that_of_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    loaded = []

    def load(options: Namespace) -> FakeAligner:
        loaded.append((options.aligner, options.model, options.parser))
        return FakeAligner()

    def ask(server: BrowserServer) -> None:
        for name in ("", "&aligner=forest", "&aligner=contextual"):
            assert server.service.get(f"/?source=a&target=a{name}").status == 200

    monkeypatch.setattr("forest_align.cli.commands.serve.load_aligner", load)
    monkeypatch.setattr(BrowserServer, "serve_forever", ask)
    folder = str(tmp_path / "model")
    ContextualAligner().save(folder)
    assert main(["serve", "--port", "0", "--model", folder, "--parser", "en"]) == 0
    assert loaded == [("contextual", folder, "en"), ("forest", None, "en")]


def test_every_bundled_aligner_can_be_chosen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = []

    def keep(server: BrowserServer) -> None:
        pages.append(server.service.get("/").body.decode())

    monkeypatch.setattr(BrowserServer, "serve_forever", keep)
    folder = str(tmp_path / "model")
    ContextualAligner().save(folder)
    for options in (["--model", folder], ["--model", folder, "--aligner", "contextual"], []):
        assert main(["serve", "--port", "0", *options]) == 0
    names = [re.findall("<option( selected)?>([^<]*)<", page) for page in pages]
    assert names == [
        [(" selected" * (name == chosen), name) for name in bundled_models()]
        for chosen in ("contextual", "contextual", "forest")
    ]
    capsys.readouterr()
    assert main(["serve", "--port", "0", "--model", folder, "--aligner", "forest"]) == 2
    assert "is for the aligner contextual, not forest" in capsys.readouterr().err


def test_all_addresses_are_reached_by_a_name_too() -> None:
    with BrowserServer("", 0, BrowserService(AlignerCache({}, "forest"))) as server:
        assert server.url == f"http://localhost:{server.server_port}/"


def test_a_burst_of_connections_can_wait() -> None:
    """Nobody accepts them here: those that find no place in the queue are refused or get no answer."""
    with (
        BrowserServer("127.0.0.1", 0, BrowserService(AlignerCache({}, "forest"))) as server,
        ExitStack() as stack,
    ):
        address = "127.0.0.1", server.server_port
        for _ in range(50):
            stack.enter_context(socket.create_connection(address, timeout=5))


def test_a_port_in_use_is_told(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--port", str(client.port)]) == 2
    assert "try another --port" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["serve", "--port", "65536"])


def test_the_command_says_where_it_listens_and_stops_on_control_c() -> None:
    # Whoever started the tests may ignore the signal; the command must not.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from forest_align.cli import main; sys.exit(main(['serve', '--port', '0']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        found = re.search("http://127.0.0.1:([0-9]+)/", run.stdout.readline())
        assert found
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=20)
        connection.request("GET", "/")
        text = connection.getresponse().read().decode()
        # Every kind of aligner that has a bundled model can be chosen.
        assert "<option selected>forest</option>" in text and "<option>contextual</option>" in text
        run.send_signal(signal.SIGINT)
        _, errors = run.communicate(timeout=20)
    assert (run.returncode, errors) == (0, "\nforest-align serve: stopped\n")
