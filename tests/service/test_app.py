"""The service as an application: what is answered to which request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from forest_align import __version__
from forest_align.alignment import Alignment, Links, alignment_schema
from forest_align.service._openapi import ERRORS
from forest_align.service.app import create_app
from forest_align.service.line_index import LineIndex
from forest_align.service.settings import ServedModel, ServiceLimits, ServiceSettings

from ..command_line import written
from .fake_service import FakeAligner, LocalWorker, pair, write_alignments

LIMITS = ServiceLimits(characters=40, body=2000, row=500, list_body=4000, pairs=20, in_flight=4)
MODELS = {
    "forest": ServedModel("forest", "forest", "01ab"),
    "contextual": ServedModel("contextual", "mine", "23cd"),
    "missing": ServedModel("joint", "joint", "45ef"),
}
SETTINGS = ServiceSettings(MODELS, "forest", LIMITS, frozenset({"localhost", "127.0.0.1", "::1"}))
ROWS = {"Content-Type": "application/x-ndjson"}
IS_ALIGNMENT = Draft202012Validator(alignment_schema()).validate


def served(
    settings: ServiceSettings = SETTINGS, path: Path | None = None, workers: Sequence[Any] | None = None
) -> TestClient:
    pairs = LineIndex(path) if path is not None else None
    app = create_app(settings, workers or [LocalWorker()], pairs)
    return TestClient(app, base_url="http://localhost")


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with served(path=write_alignments(tmp_path / "alignments.jsonl")) as client:
        yield client


def rows_of(text: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in text.splitlines()]
    for one in found:
        IS_ALIGNMENT(one)
    return found


def test_two_sentences_give_their_alignment(client: TestClient) -> None:
    answer = client.post("/align", json=pair("a b", "b ä", id="x"))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json; charset=utf-8")
    IS_ALIGNMENT(answer.json())
    alignment = Alignment.from_json(answer.text)
    assert (alignment.id, alignment.words.pairs, alignment.target.text) == ("x", ((1, 0),), "b ä")


def test_the_aligner_is_that_of_the_pair_else_of_the_query_else_the_first(tmp_path: Path) -> None:
    worker = LocalWorker()
    with served(workers=[worker]) as client:
        client.post("/align", json=pair("a"))
        client.post("/align?aligner=contextual", json=pair("a"))
        client.post("/align?aligner=contextual", json=[pair("a", aligner="forest")])
    used = [batch.aligner for batch in worker.batches]
    assert used == ["forest", "forest", "contextual", "forest"]  # the first is the warming up


def test_a_list_gives_a_list_with_an_error_in_the_place_of_each_broken_pair(client: TestClient) -> None:
    broken: list[Any] = [
        pair("fail"),
        3,
        {"id": "k", "source": "a"},
        pair("a" * 41),
        pair("bug"),
        pair("a", aligner="x"),
    ]
    sent = [pair("a b", id="first"), *broken, pair("a b", "b")]
    answer = client.post("/align", json=sent)
    assert answer.status_code == 200
    found = answer.json()
    for one in found:
        IS_ALIGNMENT(one)
    assert [one["id"] for one in found] == ["first", "2", "3", "k", "5", "6", "7", "8"]
    errors = [one.get("error", "") for one in found]
    assert [bool(error) for error in errors] == [False] + [True] * 6 + [False]
    for error, part in zip(
        errors[1:-1],
        [
            "cannot be parsed",
            "pair 3: expected an object",
            "pair 4: field 'target'",
            "at most 40 characters",
            "ZeroDivisionError: oh",
            "expected one of: forest, contextual, missing",
        ],
        strict=True,
    ):
        assert part in error
    assert client.post("/align", json=[]).json() == []


def test_rows_give_rows_with_an_error_in_the_place_of_each_broken_one(client: TestClient) -> None:
    lines = [
        json.dumps(pair("a b", id="first")).encode(),
        b"{",
        b"",
        b"\xff",
        json.dumps(pair("a" * 600)).encode(),
        json.dumps(pair("fail")).encode(),
        b'{"id": 9, "source": "a"}',
        json.dumps(pair("a b", "b")).encode(),
    ]
    answer = client.post("/align", content=b"\r\n".join(lines) + b"\n\n \n", headers=ROWS)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/x-ndjson")
    rows = rows_of(answer.text)
    assert [one["id"] for one in rows] == ["first", "2", "3", "4", "5", "6", "9", "8"]
    parts = [
        "",
        "line 2: not JSON",
        "line 3: ",
        "line 4: expected UTF-8",
        "line 5: expected rows of at most 500",
    ]
    parts += ["cannot be parsed", "line 7: field 'target'", ""]
    for one, part in zip(rows, parts, strict=True):
        assert part in one.get("error", "") and bool(part) == ("error" in one)


@pytest.mark.parametrize("size", [1, 7, 64, 100_000])
def test_rows_may_be_cut_anywhere(size: int, client: TestClient) -> None:
    texts = [pair("a ä", id=str(k)) for k in range(30)]
    body = "\n".join(json.dumps(one, ensure_ascii=False) for one in texts).encode()
    long = b"\n" + b"x" * 1200 + b"\n" + json.dumps(pair("b", id="last")).encode()
    body += long
    chunks = (body[k : k + size] for k in range(0, len(body), size))
    rows = rows_of(client.post("/align", content=chunks, headers=ROWS).text)
    assert [one["id"] for one in rows] == [*map(str, range(30)), "31", "last"]
    assert [bool(one.get("error")) for one in rows] == [False] * 30 + [True, False]


def test_a_long_row_without_an_end_is_answered_too(client: TestClient) -> None:
    rows = rows_of(client.post("/align", content=b"x" * 1200, headers=ROWS).text)
    assert ["at most 500 bytes" in one["error"] for one in rows] == [True]
    assert client.post("/align", content=b"", headers=ROWS).text == ""


@pytest.mark.parametrize(
    ("values", "status", "message"),
    [
        ({"source": "a"}, 400, "field 'target': this field is required"),
        ({"source": "a", "target": 1}, 400, "expected a string"),
        ({"source": "a", "target": " "}, 400, "target: expected a sentence, found nothing"),
        ({"source": "a", "target": "b", "aligner": "x"}, 400, "expected one of: forest, contextual, missing"),
        ({"source": "a", "target": "b", "alignments": "2"}, 400, "expected an integer"),
        ({"source": "a" * 41, "target": "b"}, 413, "at most 40 characters"),
        ({"source": "fail", "target": "b"}, 422, "cannot be parsed"),
        ({"source": "refuse", "target": "b"}, 422, "cannot be used"),
        ({"source": "bug", "target": "b"}, 500, "ZeroDivisionError: oh"),
        ({"source": "a", "target": "b", "aligner": "missing"}, 503, "cannot be loaded: no weights"),
        ("text", 400, "expected an object"),
        ([pair("a")] * 21, 413, "at most 20 pairs, found 21"),
    ],
)
def test_what_cannot_be_aligned_is_told_with_its_status(
    values: Any, status: int, message: str, client: TestClient, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = client.post("/align", json=values)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])
    assert message in answer.json()["error"] and status in ERRORS
    # The console hears of faults of the program, without a traceback, and of nothing else.
    assert capfd.readouterr().err.count("\n") == (1 if status == 500 else 0)


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "message"),
    [
        ("POST", "/align", b"{", {}, 400, "not JSON"),
        ("POST", "/align", b"", {}, 400, "not JSON"),
        ("POST", "/align", b"[" * 3999, {}, 400, "not JSON"),
        ("POST", "/align", b"\xff", {}, 400, "expected UTF-8"),
        ("POST", "/align", b" " * 2001, {}, 413, "at most 2000 bytes, found 2001"),
        ("POST", "/align", b" [" + b" " * 4000, {}, 413, "at most 4000 bytes, found 4002"),
        ("POST", "/align", b"x", {"Content-Encoding": "gzip"}, 415, "not compressed"),
        ("POST", "/", b"", {}, 405, "expected GET, HEAD"),
        ("POST", "/nothing", b"", {}, 404, "nothing at /nothing"),
        ("GET", "/align", None, {}, 405, "expected POST"),
        ("GET", "/a%20b", None, {}, 404, "nothing at /a b"),
        ("DELETE", "/", None, {}, 405, "expected GET, HEAD"),
        ("GET", "/", None, {"Host": "evil.example"}, 403, "names of this machine"),
        ("POST", "/align", b"{}", {"Host": "evil.example"}, 403, "names of this machine"),
        ("GET", "/", None, {"Host": "[evil"}, 403, "names of this machine"),
    ],
)
def test_wrong_requests_are_told_as_json(
    method: str, path: str, body: Any, headers: dict[str, str], status: int, message: str, client: TestClient
) -> None:
    answer = client.request(method, path, content=body, headers=headers)
    assert answer.status_code == status
    assert message in answer.json()["error"] and status in ERRORS
    if status == 405:
        assert answer.headers["Allow"] == message.removeprefix("expected ")


def test_a_body_without_a_length_is_limited_too(client: TestClient) -> None:
    answer = client.post("/align", content=(b" " * 100 for _ in range(30)))
    assert answer.status_code == 413 and "at most 2000 bytes, found 3000" in answer.json()["error"]


def test_other_names_of_this_machine_are_answered(client: TestClient) -> None:
    for host in ("localhost:9000", "127.0.0.1", "[::1]:1", "LOCALHOST"):
        assert client.get("/", headers={"Host": host}).status_code == 200


def test_without_names_any_is_answered() -> None:
    with served(replace(SETTINGS, names=())) as client:
        assert client.get("/", headers={"Host": "example.org"}).status_code == 200


@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("POST", "/align"), ("GET", "/no"), ("PUT", "/")])
def test_no_answer_is_kept_or_taken_for_something_else(method: str, path: str, client: TestClient) -> None:
    headers = client.request(method, path, content=b"{}").headers
    assert headers["Cache-Control"] == "no-store" and headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_pages_of_other_sites_get_answers_only_if_they_are_named() -> None:
    asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
    with served() as client:
        assert client.options("/align", headers=asked).status_code == 405
        answer = client.post("/align", json=pair("a"), headers=asked)
        assert "access-control-allow-origin" not in answer.headers
    with served(replace(SETTINGS, origins=["https://example.org"])) as client:
        assert client.options("/align", headers=asked).status_code == 200
        answer = client.post("/align", json=pair("a"), headers=asked)
        assert answer.headers["access-control-allow-origin"] == "https://example.org"
        other = client.post("/align", json=pair("a"), headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


def test_long_answers_are_compressed_for_those_who_can_read_that(client: TestClient) -> None:
    for path, kind in (("/", "html"), ("/openapi.json", "json")):
        answer = client.get(path, headers={"Accept-Encoding": "gzip"})
        assert answer.headers["content-encoding"] == "gzip" and kind in answer.headers["content-type"]
        plain = client.get(path, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers and plain.text == answer.text
        assert int(answer.headers["content-length"]) < len(plain.content) / 2


def test_health_tells_whether_models_are_loaded() -> None:
    with served() as client:
        client.post("/align", json=pair("a"))
        assert client.get("/health").json() == {"status": "ok", "workers": 1, "ready_workers": 1}
    with served(replace(SETTINGS, default="missing")) as client:
        client.post("/align", json=pair("a"))
        answer = client.get("/health")
        assert answer.status_code == 503
        assert (answer.json()["status"], answer.json()["ready_workers"]) == ("failed", 0)
        assert "no weights" in answer.json()["error"]


def test_an_aligner_that_cannot_be_loaded_now_may_be_later() -> None:
    found: list[Any] = [OSError("no file"), ImportError("no package"), FakeAligner()]

    def load(_: str) -> Any:
        if isinstance(one := found.pop(0), Exception):
            raise one
        return one

    with served(workers=[LocalWorker(load)]) as client:  # the first failure is that of the warming up
        answers = [client.post("/align", json=pair("a")) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [503, 200, 200]
        assert "the aligner forest cannot be loaded: no package" in answers[0].json()["error"]
        assert client.get("/health").json()["status"] == "ok"


def test_metrics_count_requests_and_pairs(client: TestClient) -> None:
    client.post("/align", json=[pair("a"), pair("b"), pair("fail")])
    client.get("/nothing/of/this/name")
    client.request("BREW", "/")
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    lines = answer.text.splitlines()
    for line in (
        'forest_align_requests_total{method="POST",path="/align",status="200"} 1.0',
        'forest_align_requests_total{method="GET",path="other",status="404"} 1.0',
        'forest_align_requests_total{method="other",path="/",status="405"} 1.0',
        'forest_align_pairs_total{aligner="forest",status="200"} 2.0',
        'forest_align_pairs_total{aligner="forest",status="422"} 1.0',
        "forest_align_waiting_pairs 0.0",
        "forest_align_aligning_requests 0.0",
        "forest_align_ready_workers 1.0",
    ):
        assert line in lines
    assert any(line.startswith("process_resident_memory_bytes") for line in lines)


def test_the_description_names_every_path_and_every_status(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    assert document["openapi"] == "3.1.0" and document["info"]["version"] == __version__
    paths = {route.path for route in client.app.routes}  # type: ignore[attr-defined]
    assert set(document["paths"]) == paths
    for path, methods in document["paths"].items():
        for method in methods:
            assert client.request(method, path.format(line=1)).status_code not in (404, 405)
    schemas = document["components"]["schemas"]
    whole = {"$defs": schemas, "components": {"schemas": schemas}}
    Draft202012Validator({**whole, "$ref": "#/components/schemas/Alignment"}).validate(
        client.post("/align", json=pair("a", alignments=2)).json()
    )
    is_pair = Draft202012Validator({**whole, "$ref": "#/components/schemas/Pair"}).is_valid
    assert is_pair(pair("a", aligner="missing", id=7, alignments=10))
    assert not any(
        map(is_pair, (pair("a" * 41), pair("a", aligner="x"), {"source": "a"}, pair("a", alignments=0)))
    )
    assert schemas["Pair"]["properties"]["aligner"]["default"] == "forest"


def test_requests_beyond_the_limit_are_told_to_come_back() -> None:
    with served(replace(SETTINGS, limits=replace(LIMITS, requests=0))) as client:
        answer = client.post("/align", json=pair("a"))
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        page = client.get("/?source=a&target=a")
        assert page.status_code == 503 and "come back later" in page.text
        assert client.get("/version").status_code == 200


def test_workers_stop_with_the_service() -> None:
    workers = [LocalWorker(), LocalWorker()]
    with served(workers=workers) as client:
        client.get("/")
        assert not workers[0].is_stopped
    assert all(worker.is_stopped for worker in workers)


def test_the_form_needs_no_script(client: TestClient) -> None:
    answer = client.get("/", params={"source": "a\r\nb", "target": "b c", "aligner": "forest"})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert 'data-with="s1 t0"' in answer.text and ">a b</textarea>" in answer.text
    answer = client.get("/?source=a")
    assert answer.status_code == 400
    assert "target: expected a sentence" in answer.text and ">a</textarea>" in answer.text
    answer = client.get("/?source=a&target=b&aligner=missing")
    assert answer.status_code == 503
    assert "no weights" in answer.text and "<option selected>missing</option>" in answer.text


def test_what_is_typed_cannot_become_part_of_the_page() -> None:
    attack = "</textarea><script>alert(1)</script><img src=x onerror=alert(1)>"
    with served(replace(SETTINGS, limits=ServiceLimits())) as client:
        for aligner in ("forest", attack):
            for target in (attack, f"{attack} fail"):
                answer = client.get("/", params={"source": target, "target": attack, "aligner": aligner})
                assert answer.text.count("<script>") == 1 and "<img" not in answer.text
                policy = answer.headers["Content-Security-Policy"]
                assert re.findall("script-src ([^;]*)", policy)[0].count("sha256-") == 1


def test_links_that_are_given_stand_beside_the_alignment(client: TestClient) -> None:
    sentences = {"source": "a b", "target": "b a"}
    answer = client.get("/", params={**sentences, "gold": "0-1 1-1"})
    assert answer.status_code == 200
    assert "1 link in both, 1 only in fake, 1 only in gold" in answer.text
    for gold in ("0-7", "x"):
        answer = client.get("/", params={**sentences, "gold": gold})
        assert answer.status_code == 400 and "gold links: " in answer.text
        assert f'value="{gold}"' in answer.text


def test_the_page_finds_several_alignments_and_compares_aligners(client: TestClient) -> None:
    sentences = {"source": "a b", "target": "b a"}
    text = client.get("/", params={**sentences, "alignments": "3"}).text
    assert text.count("<section data-alternative") == 3
    text = client.get("/", params={**sentences, "beside": "contextual"}).text
    assert "2 links in both, 0 only in fake, 0 only in fake" in text
    for wrong in ({"alignments": "11"}, {"alignments": "x"}, {"beside": "none"}, {"beside": "missing"}):
        answer = client.get("/", params=sentences | wrong)
        assert answer.status_code in (400, 503) and 'role="alert"' in answer.text


def test_the_pairs_of_the_file_are_leafed_through(client: TestClient) -> None:
    text = client.get("/pairs?first=21").text
    assert re.findall("<h2>Pair ([0-9]+)</h2>", text) == ["21", "22", "23", "24", "25"]
    text = client.get("/pairs").text
    assert text.count("<section ") == 10 and "alignments.jsonl:5: not JSON" in text


def test_two_files_are_compared_line_by_line(tmp_path: Path) -> None:
    path, other = write_alignments(tmp_path / "alignments.jsonl"), tmp_path / "other.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    changed = Alignment.from_json(lines[0])
    changed = replace(changed, words=Links.of([(0, 0)]), aligner="gold")
    other.write_text("\n".join([changed.to_json(), "broken", *lines[2:8]]) + "\n", encoding="utf-8")
    app = create_app(SETTINGS, [LocalWorker()], LineIndex(path), LineIndex(other))
    with TestClient(app, base_url="http://localhost") as client:
        text = client.get("/pairs").text
    assert text.count('<section class="comparison">') == 6  # 1, 3, 4, 6, 7 and 8
    assert "1 link in both, 1 only in fake, 0 only in gold" in text
    assert "other.jsonl:2: not JSON" in text and "other.jsonl ends before line 10" in text


def test_a_pair_of_the_file_is_there_as_json_too(client: TestClient) -> None:
    found = client.get("/pairs/7").json()
    assert (found["id"], found["source"]["text"]) == ("7", "number 7")
    assert "alignments.jsonl:5: not JSON" in client.get("/pairs/5").json()["error"]
    for line in ("0", "26", "x", "-1"):
        answer = client.get(f"/pairs/{line}")
        assert answer.status_code == 404 and "expected 1 to 25" in answer.json()["error"]


@pytest.mark.parametrize("first", ["26", "0", "-1", "abc", "<b>", "9" * 5000])
def test_who_asks_for_pairs_that_are_not_there_gets_a_page_with_ways_out(
    first: str, client: TestClient
) -> None:
    answer = client.get(f"/pairs?{urlencode({'first': first})}")
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "expected 1 to 25" in answer.text and 'href="/pairs"' in answer.text and "<b>" not in answer.text


def test_a_file_that_is_taken_away_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", "{}\n")
    with served(path=path) as client:
        path.unlink()
        assert "No such file" in client.get("/pairs").text


def test_an_unexpected_error_is_an_answer(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> str:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("forest_align.service._page_routes.sentences_page", fail)
    answer = client.get("/")
    assert answer.status_code == 500 and "ZeroDivisionError: oh" in answer.json()["error"]
    assert capfd.readouterr().err.count("\n") == 1
