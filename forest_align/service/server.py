"""Runs the service with uvicorn: listens, closes silent connections, and stops without losing requests."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from forest_align.service.settings import ServiceLimits
from forest_align.types import InputError

_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)


def listen(host: str, port: int) -> socket.socket:
    """Open a socket for the service; port 0 takes a free one. Raises InputError if this is not possible."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=128)
    except (OSError, OverflowError, TypeError, UnicodeError) as error:  # the last two: not a host name
        raise InputError(
            f"cannot listen on {host}, port {port}: {error}; try another --port or --host"
        ) from None
    # asyncio sends parts of an answer at once (TCP_NODELAY) only if the socket names its protocol. Otherwise
    # the body waits 40 ms until the client confirms that it has the headers.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, fileno=listener.detach())


def url_of(listener: socket.socket, host: str) -> str:
    """Address of a service that listens on a host."""
    name = f"[{host}]" if ":" in host else host or "localhost"
    return f"http://{name}:{listener.getsockname()[1]}/"


def names_of(listener: socket.socket, host: str) -> frozenset[str]:
    """Names of this machine, if the service listens only to it; otherwise none, as any name may be used."""
    own = str(listener.getsockname()[0])
    if not ipaddress.ip_address(own.partition("%")[0]).is_loopback:
        return frozenset()
    return frozenset({"localhost", "127.0.0.1", "::1", own, host.lower()})


def make_server(app: ASGIApp, limits: ServiceLimits) -> uvicorn.Server:
    """The server of an application; ``run(sockets=[listener])`` serves until the process is asked to stop.

    It then takes no more requests and answers those in flight. After that, Ctrl-C raises KeyboardInterrupt.
    """

    class Protocol(_PatientProtocol):
        idle_seconds, most_connections = limits.idle_seconds, limits.connections

    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    config = uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,  # addresses contain the user's sentences
        proxy_headers=False,
        server_header=False,
        headers=[("Server", "forest-align")],
        h11_max_incomplete_event_size=limits.head,
        timeout_keep_alive=int(limits.idle_seconds),
        timeout_graceful_shutdown=int(limits.stop_seconds),
    )
    return uvicorn.Server(config)


class _PatientProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection whose client neither sends a whole head nor takes its answer."""

    idle_seconds = 30.0
    most_connections = 512

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch; if there are too many connections, close one."""
        super().connection_made(transport)
        self._full_since: float | None = None
        self._waits_since = self.loop.time()
        self._head_begun = False
        self._watch = self.loop.call_later(self.idle_seconds, self._look)
        opened = [other for other in self.connections if not other.transport.is_closing()]
        if len(opened) > self.most_connections:
            self._make_room([other for other in opened if isinstance(other, _PatientProtocol)])

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read, and note when the head of a request began."""
        if self._is_between_requests() and not self._head_begun:
            self._waits_since, self._head_begun = self.loop.time(), True
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Note when the connection became idle."""
        self._waits_since, self._head_begun = self.loop.time(), False
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Note since when the client has not taken what is sent."""
        self._full_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client goes on."""
        self._full_since = None
        super().resume_writing()

    def _is_between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _waits_for_client(self) -> bool:
        """Whether the next step is the client's: to send a request, or the rest of one."""
        return self._is_between_requests() or (self.cycle.more_body and not self.cycle.response_started)

    def _make_room(self, others: list[_PatientProtocol]) -> None:
        """Close the connection that has waited longest for its client; if none does, this one."""
        waiting = [other for other in others if other is not self and other._waits_for_client()]
        if waiting:
            min(waiting, key=lambda other: other._waits_since).transport.abort()
        else:
            self.transport.write(_FULL)
            self.transport.close()

    def _look(self) -> None:
        """Close the connection if it has waited for the client for too long."""
        since = self._full_since
        if since is None and self._is_between_requests():
            since = self._waits_since  # bodies of requests have a time limit of their own
        now = self.loop.time()
        if since is not None and now - since >= self.idle_seconds:
            self.transport.abort()
        else:
            self._watch = self.loop.call_later((since or now) + self.idle_seconds - now, self._look)
