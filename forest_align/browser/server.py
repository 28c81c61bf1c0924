"""Runs the service with uvicorn: listens, closes silent connections, and stops without losing requests."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from forest_align.browser.limits import ServiceLimits
from forest_align.types import InputError

# Longest line of a request with its headers: a form with two sentences whose characters are escaped.
_MAX_HEAD = 1 << 16


def listen(host: str, port: int) -> socket.socket:
    """Open a socket for the service.

    Parameters
    ----------
    host : str
        Address or name to listen on; empty for all addresses.
    port : int
        Port to listen on; 0 takes a free one.

    Raises
    ------
    InputError
        If this is not possible.
    """
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

    class Protocol(_IdleProtocol):
        idle_seconds = limits.idle_seconds

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
        h11_max_incomplete_event_size=_MAX_HEAD,
        timeout_keep_alive=int(limits.idle_seconds),
        timeout_graceful_shutdown=int(limits.stop_seconds),
    )
    return uvicorn.Server(config)


class _IdleProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection whose client neither sends a whole request nor takes its answer."""

    idle_seconds = 30.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch."""
        super().connection_made(transport)
        self._full_since: float | None = None
        self._idle_since = self.loop.time()
        self._watch = self.loop.call_later(self.idle_seconds, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        self._watch.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read, and note when."""
        self._idle_since = self.loop.time()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Note when the connection became idle."""
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Note since when the client has not taken what is sent."""
        self._full_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """The client goes on."""
        self._full_since = None
        super().resume_writing()

    def _look(self) -> None:
        """Close the connection if it has waited for the client for too long."""
        since = self._full_since
        if since is None and (self.cycle is None or self.cycle.response_complete):
            since = self._idle_since  # bodies of requests have a time limit of their own
        now = self.loop.time()
        if since is not None and now - since >= self.idle_seconds:
            self.transport.abort()
        else:
            self._watch = self.loop.call_later((since or now) + self.idle_seconds - now, self._look)
