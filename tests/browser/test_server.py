"""The service on a real socket: clients that are slow, silent or gone, and its end."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest

from forest_align.browser.app import ServedModel, ServiceSettings, create_app
from forest_align.browser.limits import ServiceLimits
from forest_align.browser.server import listen, make_server, names_of, url_of
from forest_align.types import InputError

from .fake_service import LocalWorker, pair

LIMITS = ServiceLimits(idle_seconds=30, stop_seconds=20, gather_seconds=0.001)
IMPATIENT = replace(LIMITS, idle_seconds=1.0)


class Running:
    """A service that runs in a thread."""

    def __init__(self, limits: ServiceLimits, worker: LocalWorker) -> None:
        self.worker = worker
        settings = ServiceSettings({"forest": ServedModel("forest", "forest", "0")}, "forest", limits)
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
def running(limits: ServiceLimits = LIMITS) -> Iterator[Running]:
    service = Running(limits, LocalWorker())
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


def test_head_gives_the_headers_alone(service: Running) -> None:
    with service.connect() as connection:
        connection.sendall(b"HEAD / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        headers, _, body = rest_of(connection).partition(b"\r\n\r\n")
    assert headers.startswith(b"HTTP/1.1 200 ") and body == b"" and b"content-length: " in headers


def test_long_sentences_fit_into_the_address_of_the_form(service: Running) -> None:
    connection = service.http()
    connection.request("GET", f"/?source={'%C3%A4' * 2000}&target={'%C3%B6' * 2000}")
    assert connection.getresponse().status == 200
    connection.close()


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


def test_a_body_that_does_not_come_is_told() -> None:
    with running(IMPATIENT) as service, service.connect() as connection:
        connection.sendall(head(100) + b"{")
        found = rest_of(connection)
        assert found.startswith(b"HTTP/1.1 408 ") and b"rest of the body within 1 seconds" in found


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


def test_work_that_takes_longer_than_clients_may_is_no_silence() -> None:
    with running(IMPATIENT) as service:
        assert service.align("wait", "2.0") == 200


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
                found = rest_of(connection)
                assert found.startswith(b"HTTP/1.1 413 ") and f"at most {most} bytes".encode() in found


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


def test_a_port_in_use_is_told(service: Running) -> None:
    with pytest.raises(InputError, match="try another --port"):
        listen("127.0.0.1", service.port)


def test_a_burst_of_connections_can_wait() -> None:
    """Nobody accepts them here: those that find no place in the queue are refused or get no answer."""
    with listen("127.0.0.1", 0) as listener, ExitStack() as stack:
        for _ in range(50):
            stack.enter_context(socket.create_connection(listener.getsockname()))
