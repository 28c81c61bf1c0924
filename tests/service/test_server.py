"""The service on a real socket: clients that are slow, silent or gone, and its end."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest

from forest_align.service.app import create_app
from forest_align.service.server import listen, make_server, names_of, url_of
from forest_align.service.settings import ServedModel, ServiceLimits, ServiceSettings

from .fake_service import LocalWorker, pair

LIMITS = ServiceLimits(idle_seconds=30, stop_seconds=20, gather_seconds=0.001)
IMPATIENT = replace(LIMITS, idle_seconds=1.0, body_seconds=1.0)


class Running:
    """A service that runs in a thread."""

    def __init__(self, limits: ServiceLimits, worker: LocalWorker, origins: Sequence[str] = ()) -> None:
        self.worker = worker
        models = {"forest": ServedModel("forest", "forest", "0")}
        settings = ServiceSettings(models, "forest", limits, origins=origins)
        self.listener = listen("127.0.0.1", 0)
        self.port = self.listener.getsockname()[1]
        self.server = make_server(create_app(settings, [worker]), limits)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listener]})
        self.thread.start()

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port))

    def http(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port)

    def align(self, *texts: str) -> int:
        connection = self.http()
        connection.request("POST", "/align", json.dumps(pair(*texts)))
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def wait_for(self, number: str, value: int) -> None:
        """Wait until a number that the service tells is so large."""
        while f"forest_align_{number} {float(value)}\n" not in self.metrics():
            pass

    def metrics(self) -> str:
        connection = self.http()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return text

    @contextmanager
    def busy(self) -> Iterator[None]:
        """Its worker is busy until the context is left."""
        client = threading.Thread(target=self.align, args=("hold",))
        client.start()
        self.worker.holds.wait()
        try:
            yield
        finally:
            self.worker.go.set()
            client.join()


@contextmanager
def running(limits: ServiceLimits = LIMITS, origins: Sequence[str] = ()) -> Iterator[Running]:
    service = Running(limits, LocalWorker(), origins)
    try:
        yield service
    finally:
        service.stop()


@pytest.fixture
def service() -> Iterator[Running]:
    with running() as service:
        yield service


def head(length: int | None = None, kind: str = "application/json") -> bytes:
    body = f"Content-Length: {length}" if length is not None else "Transfer-Encoding: chunked"
    return f"POST /align HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n{body}\r\n\r\n".encode()


def rest_of(connection: socket.socket) -> bytes:
    """All that comes until the connection is closed."""
    found = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(65536):
            found += part
    return found


def test_one_connection_serves_several_requests(service: Running) -> None:
    connection = service.http()
    for _ in range(3):
        connection.request("POST", "/align", json.dumps(pair("a b")))
        answer = connection.getresponse()
        assert (answer.status, answer.version, answer.headers["Server"]) == (200, 11, "forest-align")
        assert json.loads(answer.read())["words"] == [[0, 0], [1, 1]]
    connection.close()


def test_parts_of_an_answer_do_not_wait_for_each_other(service: Running) -> None:
    with service.connect() as connection:
        connection.sendall(b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(100)
        (accepted,) = service.server.server_state.connections
        socket_of = accepted.transport.get_extra_info("socket")  # type: ignore[union-attr]
        assert socket_of.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    "sent",
    [
        *(b"nonsense\r\n\r\n", b"\x00\xff" * 100, b"GET /" + b"a" * 100_000),
        b"POST /align HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    ],
)
def test_what_is_no_request_is_answered_and_does_not_stop_the_server(sent: bytes, service: Running) -> None:
    with service.connect() as connection:
        with suppress(OSError):
            connection.sendall(sent)
        assert rest_of(connection).startswith(b"HTTP/1.1 400 ") or len(sent) > 65536
    assert service.align("a") == 200


def test_connections_that_stay_silent_are_closed_and_others_are_served() -> None:
    with running(IMPATIENT) as service, ExitStack() as stack:
        parts = (b"", b"POST /al", b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        silent = [stack.enter_context(service.connect()) for _ in parts]
        for connection, part in zip(silent, parts, strict=True):
            connection.sendall(part)
        assert service.align("a") == 200
        assert [rest_of(connection) for connection in silent] == [b""] * 3


@contextmanager
def dripping(connection: socket.socket, drop: bytes) -> Iterator[None]:
    """Send a few bytes now and then until the connection is closed."""

    def drip() -> None:
        with suppress(OSError):
            while not over.wait(IMPATIENT.idle_seconds / 10):
                connection.sendall(drop)

    over = threading.Event()
    thread = threading.Thread(target=drip)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def test_the_whole_body_has_a_limit_of_time() -> None:
    with running(IMPATIENT) as service, service.connect() as connection:
        connection.sendall(head(10_000))
        with dripping(connection, b" "):
            rest = rest_of(connection)
        assert rest.startswith(b"HTTP/1.1 408 ") and b"rest of the body within 1 seconds" in rest


def test_the_whole_head_has_a_limit_of_time() -> None:
    with running(IMPATIENT) as service, service.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
        with dripping(connection, b"a: b\r\n"):
            assert rest_of(connection) == b""


@pytest.mark.parametrize("drop", [b" ", b"\n"])
def test_a_row_of_a_stream_has_a_limit_of_time(drop: bytes) -> None:
    with running(IMPATIENT) as service, service.connect() as connection:
        row = json.dumps(pair("a")).encode() + b"\n"
        connection.sendall(head(10_000, "application/x-ndjson") + row)
        with dripping(connection, drop):
            rest = rest_of(connection)
        assert b"within 1 seconds" in rest


def test_clients_whose_bodies_do_not_come_leave_the_others_their_places() -> None:
    limits = replace(LIMITS, requests=1)
    with running(limits) as service, ExitStack() as stack:
        for kind in ("application/json", "application/x-ndjson", "application/x-ndjson"):
            connection = stack.enter_context(service.connect())
            connection.sendall(head(100, kind) + b"{")
        assert service.align("a") == 200
        with service.busy():
            assert service.align("b") == 503


def test_a_connection_too_many_closes_the_one_that_has_waited_longest_for_its_client() -> None:
    with running(replace(LIMITS, connections=3)) as service, ExitStack() as stack:
        silent = []
        for sent in (b"", b"GET / HT", head(100) + b"{"):
            silent.append(stack.enter_context(service.connect()))
            silent[-1].sendall(sent)
            while len(service.server.server_state.connections) < len(silent):
                pass
        for connection in silent:
            stack.enter_context(service.connect())
            assert rest_of(connection) == b""
        assert service.align("a") == 200


def test_a_connection_too_many_is_told_to_come_back_if_all_others_are_aligned() -> None:
    with running(replace(LIMITS, connections=1)) as service, service.connect() as connection:
        text = json.dumps(pair("hold")).encode()
        connection.sendall(head(len(text)) + text)
        service.worker.holds.wait()
        with service.connect() as further:
            assert rest_of(further).startswith(b"HTTP/1.1 503 ")
        service.worker.go.set()
        assert b"200 OK" in connection.recv(100)


def test_what_two_servers_may_read_differently_is_refused_and_the_connection_closed(service: Running) -> None:
    with service.connect() as connection:
        both = b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n"
        connection.sendall(
            head(4).replace(b"Content-Length: 4\r\n\r\n", both) + b"0\r\n\r\nGET / HTTP/1.1\r\n\r\n"
        )
        rest = rest_of(connection)
        assert rest.startswith(b"HTTP/1.1 400 ") and rest.count(b"HTTP/1.1") == 1 and b"found both" in rest


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "application/x-ndjson"])
@pytest.mark.parametrize(
    ("origin", "status"),
    [("http://evil.example", 403), ("null", 403), ("http://localhost", 200), ("http://good.example", 200)],
)
def test_pages_of_other_sites_align_only_if_they_may(kind: str, origin: str, status: int) -> None:
    with running(origins=["http://good.example"]) as service, service.connect() as connection:
        text = json.dumps(pair("a")).encode()
        named = head(len(text), kind).replace(
            b"\r\n\r\n", f"\r\nOrigin: {origin}\r\nConnection: close\r\n\r\n".encode()
        )
        connection.sendall(named + text)
        assert rest_of(connection).startswith(f"HTTP/1.1 {status} ".encode())
        assert len(service.worker.batches) == (1 if status == 403 else 2)  # the first warms it up


@pytest.mark.parametrize("field", ["GET /?{} HTTP/1.1\r\n", "GET / HTTP/1.1\r\na: {}\r\n"])
@pytest.mark.parametrize("size", [60_000, 65_536, 200_000])
def test_a_head_has_at_most_64_kib(field: str, size: int, service: Running) -> None:
    with service.connect() as connection:
        with suppress(OSError):
            connection.sendall(
                f"{field.format('a' * size)}Host: localhost\r\nConnection: close\r\n\r\n".encode()
            )
        status = rest_of(connection)[9:12]
    assert status == b"200" if size < 65_536 else status in (b"400", b"431", b"")


@pytest.mark.parametrize("last", [b'{"source"', b"\n \n"])
def test_a_stream_that_does_not_go_on_ends_with_an_error(last: bytes) -> None:
    with running(IMPATIENT) as service, service.connect() as connection:
        row = json.dumps(pair("a")).encode() + b"\n"
        connection.sendall(head(1000, "application/x-ndjson") + row + last)
        rows = [line for line in rest_of(connection).splitlines() if line.startswith(b"{")]
        assert [b"error" in one for one in rows] == [False, True] and b"within 1 seconds" in rows[1]


def test_a_client_that_waits_for_an_answer_is_not_silent() -> None:
    with running(IMPATIENT) as service, service.connect() as connection:
        connection.sendall(head(None, "application/x-ndjson"))
        for source, target in (("wait", "2.0"), ("a", "a")):
            row = json.dumps(pair(source, target)).encode() + b"\n"
            connection.sendall(b"%x\r\n%b\r\n" % (len(row), row))
            found = b""
            while b'"root_aligned"' not in found:
                found += connection.recv(65536)
            assert b"error" not in found
        connection.sendall(b"0\r\n\r\n")
        assert b"error" not in rest_of(connection)


def test_who_does_not_take_the_answer_is_cut_off() -> None:
    with running(replace(IMPATIENT, read_ahead=1 << 16)) as service, service.connect() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        row = json.dumps(pair(" ".join(map(str, range(300))))).encode() + b"\n"
        sent = threading.Thread(target=send_all, args=(connection, head(None, "application/x-ndjson"), row))
        sent.start()
        sent.join()
        assert service.align("a") == 200


def send_all(connection: socket.socket, head: bytes, row: bytes) -> None:
    with suppress(OSError):  # it is cut off
        connection.sendall(head)
        while True:
            connection.sendall(b"%x\r\n%b\r\n" % (len(row), row))


def test_rows_are_answered_while_further_ones_come(service: Running) -> None:
    with service.connect() as connection:
        connection.sendall(head(None, "application/x-ndjson"))
        found = b""
        for number in range(1, 4):
            row = json.dumps(pair("a", id=f"row {number}")).encode() + b"\n"
            connection.sendall(b"%x\r\n%b\r\n" % (len(row), row))
            while f'"row {number}"'.encode() not in found:
                found += connection.recv(65536)
        connection.sendall(b"0\r\n\r\n")
        while not found.endswith(b"0\r\n\r\n"):
            found += connection.recv(65536)
    assert found.startswith(b"HTTP/1.1 200 ") and b"chunked" in found


def test_all_rows_may_be_sent_before_the_first_answer_is_read(service: Running) -> None:
    rows = [json.dumps(pair(f"{k} {'word ' * 20}")) for k in range(600)]
    connection = service.http()
    connection.request("POST", "/align", "\n".join(rows), {"Content-Type": "application/jsonl"})
    answer = connection.getresponse()
    found = [json.loads(line)["source"]["text"].split()[0] for line in answer]
    assert found == [str(k) for k in range(600)]
    connection.close()


def test_clients_at_the_same_time_share_batches(service: Running) -> None:
    others = [threading.Thread(target=service.align, args=(word,)) for word in "abcde"]
    with service.busy():
        for thread in others:
            thread.start()
        service.wait_for("waiting_pairs", 5)
    for thread in others:
        thread.join()
    assert max(len(batch.pairs) for batch in service.worker.batches) == 5


def test_pairs_of_a_client_that_has_gone_are_not_aligned(service: Running) -> None:
    with service.busy():
        for waiting, body, kind in (
            (1, pair("single"), "application/json"),
            (3, [pair("list"), pair("list")], "application/json"),
            (4, pair("row"), "application/x-ndjson"),
        ):
            with service.connect() as connection:
                text = json.dumps(body).encode()
                connection.sendall(head(len(text), kind) + text)
                service.wait_for("waiting_pairs", waiting)
            service.wait_for("aligning_requests", 1)
    assert service.align("a") == 200
    aligned = {one.source for batch in service.worker.batches for one in batch.pairs}
    assert aligned == {"a", "hold"}


def test_requests_in_flight_are_answered_before_the_server_stops() -> None:
    service = Running(LIMITS, LocalWorker())
    statuses: list[Any] = []
    clients = [threading.Thread(target=lambda: statuses.append(service.align("a"))) for _ in range(3)]
    with service.connect() as idle:
        with service.busy():
            for client in clients:
                client.start()
            service.wait_for("waiting_pairs", 3)
            service.server.should_exit = True
            with pytest.raises(OSError):
                while True:
                    service.connect().close()
        for client in clients:
            client.join()
        service.stop()
        assert statuses == [200] * 3 and rest_of(idle) == b"" and service.worker.is_stopped


def test_who_sends_too_much_is_heard_out_and_then_told() -> None:
    """Closed before all is read, a connection would be reset and its answer lost."""
    limits = replace(LIMITS, body=1000, list_body=10_000)
    with running(limits) as service:
        for length, most in ((5000, 1000), (150_000, 10_000), (10**12, 10_000)):
            with service.connect() as connection:
                connection.sendall(head(length))
                connection.sendall(bytes(min(length, 170_000)))
                rest = rest_of(connection)
                assert rest.startswith(b"HTTP/1.1 413 ") and f"at most {most} bytes".encode() in rest


def test_addresses_and_names(service: Running) -> None:
    assert url_of(service.listener, "localhost") == f"http://localhost:{service.port}/"
    assert names_of(service.listener, "My-Machine") == {"my-machine", "localhost", "127.0.0.1", "::1"}
    with listen("", 0) as listener:
        assert url_of(listener, "") == f"http://localhost:{listener.getsockname()[1]}/"
        assert names_of(listener, "") == frozenset()


def test_an_address_of_ipv6_can_be_listened_on() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        pytest.skip(f"needs IPv6: {error}")
    with listen("::1", 0) as listener:
        assert url_of(listener, "::1") == f"http://[::1]:{listener.getsockname()[1]}/"
        assert "::1" in names_of(listener, "::1")
