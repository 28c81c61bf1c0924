"""The HTTP side of the browser view: reads requests within limits and sends the service's answers."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from forest_align.browser._pages import content_security_policy
from forest_align.browser.service import MAX_BODY, Answer, BrowserService, RequestError
from forest_align.types import InputError

#: Seconds without a byte after which a connection is closed.
TIMEOUT = 30


class BrowserServer(ThreadingHTTPServer):
    """Serves a :class:`BrowserService`.

    Parameters
    ----------
    host : str
        Address or name to listen on.
    port : int
        Port to listen on; 0 takes a free one.
    service : BrowserService
        The service that answers requests.

    Raises
    ------
    InputError
        If it cannot listen on this address.
    """

    daemon_threads = True
    #: Connections that may wait to be accepted; the default of 5 refuses some when a page or a script opens
    #: many at once.
    request_queue_size = 128

    def __init__(self, host: str, port: int, service: BrowserService) -> None:
        self.service = service
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError, TypeError, UnicodeError) as error:  # the last two: not a host name
            raise InputError(
                f"cannot listen on {host}, port {port}: {error}; try another --port or --host"
            ) from None
        self.host = host

    @property
    def url(self) -> str:
        """Address of the server."""
        host = f"[{self.host}]" if ":" in self.host else self.host or "localhost"
        return f"http://{host}:{self.server_port}/"

    def knows(self, host: str) -> bool:
        """Whether a request's ``Host`` can mean this server.

        While the server listens only to this machine, only names of this machine are accepted. A foreign
        site whose name was made to resolve here has another name, and must not read the user's files.
        """
        own = str(self.server_address[0])
        if not ipaddress.ip_address(own.partition("%")[0]).is_loopback or not host:
            return True
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        return name in ("localhost", "127.0.0.1", "::1", own, self.host.lower())

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report an error of a connection in one line; report nothing if the client disconnected."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError):
            _complain(error)


def _complain(error: BaseException | None) -> None:
    print(f"forest-align serve: unexpected error: {type(error).__name__}: {error}", file=sys.stderr)


class _Handler(BaseHTTPRequestHandler):
    """One connection, which is closed after its answer."""

    timeout = TIMEOUT
    server: BrowserServer

    def do_GET(self) -> None:
        self._answer(lambda: self.server.service.get(self.path))

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self._answer(lambda: self.server.service.post(self.path, self._body()))

    def _answer(self, find: Callable[[], Answer]) -> None:
        try:
            if self.server.knows(self.headers.get("Host", "")):
                answer = find()
            else:
                message = (
                    "this server answers to the names of this machine only; --host makes it answer to others"
                )
                answer = Answer.error(HTTPStatus.FORBIDDEN, message)
        except RequestError as error:
            answer = Answer.error(error.status, error.message)
        except (ConnectionError, TimeoutError):
            raise
        except Exception as error:
            _complain(error)
            message = f"unexpected error: {type(error).__name__}: {error}"
            answer = Answer.error(HTTPStatus.INTERNAL_SERVER_ERROR, message)
        self._send(answer)

    def _body(self) -> bytes:
        """Read the body of a request."""
        length = self.headers.get("Content-Length")
        if length is None:
            raise RequestError(HTTPStatus.LENGTH_REQUIRED, "expected a Content-Length")
        if not (length.isascii() and length.isdigit() and len(length) < 16):
            message = f"expected a number for Content-Length, found {length!r}"
            raise RequestError(HTTPStatus.BAD_REQUEST, message)
        if int(length) > MAX_BODY:
            # A client that is still sending would not read an answer; but it may not send for ever.
            self.rfile.read(min(int(length), 16 * MAX_BODY))
            message = f"expected at most {MAX_BODY} bytes, found {length}"
            raise RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        return self.rfile.read(int(length))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in (
            ("Content-Type", answer.content_type),
            ("Content-Length", str(len(answer.body))),
            ("Content-Security-Policy", content_security_policy()),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
            *([("Allow", answer.allow)] if answer.allow else []),
        ):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer requests that http.server itself refuses in the same way as all others."""
        status = HTTPStatus(code)
        self._send(Answer.error(status, message or status.phrase))

    def version_string(self) -> str:
        """Name of the server in its answers."""
        return "forest-align"

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing, because the addresses contain the user's sentences."""
