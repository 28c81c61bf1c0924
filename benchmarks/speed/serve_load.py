"""Load ``forest-align serve`` over the loopback: throughput, latency, memory, and clients that misbehave.

Usage::

    python benchmarks/speed/serve_load.py PAIRS [--aligner contextual] [--workers 2] [--requests 5000]

PAIRS is any file that ``forest-align align`` reads; only its raw text is used. The script starts the server,
sends ``--requests`` requests with 1 and then with 8 clients, and checks that each one is answered. Then slow
clients, huge bodies and malformed ones come in while an honest client asks.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import cycle, islice
from pathlib import Path
from statistics import quantiles

from forest_align.data.pairs import read_pairs
from forest_align.types import InputError

EXAMPLES = Path(__file__).parents[2] / "examples" / "pairs.tsv"
HEAD = (
    "| clients | requests | a second | median ms | 95% ms | 99% ms | processor ms a request "
    "| pairs per batch | MiB before | after | answers |"
)
Outcome = tuple[str, float]


class Server:
    """A running server, on this machine.

    Parameters
    ----------
    process : subprocess.Popen
        The command that serves.
    port : int
        Its port.
    """

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process, self.port = process, port

    def _folders(self) -> Iterator[Path]:
        """What Linux tells of the server and of its children."""
        folders = [Path(f"/proc/{self.process.pid}")]
        for folder in folders:
            with suppress(OSError):  # it has ended meanwhile
                yield folder
                for task in (folder / "task").iterdir():
                    children = (task / "children").read_text(encoding="ascii").split()
                    folders += [Path(f"/proc/{child}") for child in children]

    def memory(self) -> float:
        """Memory of the server and of its children, in MiB; shared memory counts once."""
        shares = ((folder / "smaps_rollup").read_text(encoding="ascii") for folder in self._folders())
        found = (re.findall(r"^Pss: +(\d+) kB", share, re.MULTILINE) for share in shares)
        return sum(int(kilobytes[0]) for kilobytes in found) / 2**10

    def seconds(self) -> float:
        """Processor time of the server and of its children."""
        stats = ((folder / "stat").read_text(encoding="ascii") for folder in self._folders())
        ticks = (stat.rpartition(")")[2].split()[11:13] for stat in stats)
        return sum(int(user) + int(system) for user, system in ticks) / os.sysconf("SC_CLK_TCK")

    def batches(self) -> tuple[float, float]:
        """How many pairs and batches were aligned; nothing if the server does not count them."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode("utf-8")
        connection.close()
        found = dict(re.findall(r"^forest_align_batch_pairs_(sum|count) (\S+)$", text, re.MULTILINE))
        return float(found.get("sum", 0)), float(found.get("count", 0))

    def connect(self, timeout: float = 300) -> socket.socket:
        """A new connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)


@contextmanager
def running(python: str, options: Sequence[str]) -> Iterator[Server]:
    """Start the server on a free port, and stop it at the end."""
    command = [python, "-m", "forest_align", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
            if found is None:
                sys.exit("the server did not start")
            yield Server(process, int(found[1]))
        finally:
            process.terminate()


def ask(connection: http.client.HTTPConnection, body: str) -> str:
    """Send one request; return its status, or the name of what went wrong."""
    try:
        connection.request("POST", "/align", body)
        answer = connection.getresponse()
        text = answer.read()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return type(error).__name__
    return f"{answer.status}{'' if b'words' in text or answer.status != 200 else ' without links'}"


def load(server: Server, bodies: Sequence[str], clients: int) -> tuple[float, list[Outcome]]:
    """Send all bodies with several clients at a time; return the seconds, and each answer with its own."""
    waiting, outcomes = iter(bodies), []
    lock = threading.Lock()

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
        while True:
            with lock:
                body = next(waiting, None)
            if body is None:
                break
            started = time.perf_counter()
            outcome = ask(connection, body)
            outcomes.append((outcome, time.perf_counter() - started))
        connection.close()

    started = time.perf_counter()
    in_threads([work] * clients)
    return time.perf_counter() - started, outcomes


def in_threads(tasks: Sequence[Callable[[], None]]) -> None:
    """Do all tasks at the same time."""
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def report_load(server: Server, bodies: Sequence[str], clients: int) -> None:
    """Print the row of a number of clients."""
    before, spent, (pairs, batches) = server.memory(), server.seconds(), server.batches()
    seconds, outcomes = load(server, bodies, clients)
    spent = server.seconds() - spent
    pairs, batches = (after - early for after, early in zip(server.batches(), (pairs, batches), strict=True))
    cuts = [1000 * cut for cut in quantiles([time for _, time in outcomes], n=100, method="inclusive")]
    answered = Counter(outcome for outcome, _ in outcomes)
    row = [
        clients,
        len(bodies),
        f"{len(bodies) / seconds:.0f}",
        *(f"{cuts[place]:.0f}" for place in (49, 94, 98)),
        f"{1000 * spent / len(bodies):.0f}",
        f"{pairs / batches:.1f}" if batches else "",
        f"{before:.0f}",
        f"{server.memory():.0f}",
        ", ".join(f"{number} × {outcome}" for outcome, number in answered.items()),
    ]
    print(f"| {' | '.join(map(str, row))} |", flush=True)


def answer_of(connection: socket.socket) -> str:
    """The status of the next answer, ``closed`` without one, or the name of what went wrong."""
    try:
        head = connection.recv(4096).decode("latin-1")
    except OSError as error:
        return type(error).__name__
    found = re.match(r"HTTP/1\.\d (\d+)", head)
    return found[1] if found else "closed"


def malformed(server: Server) -> Counter[str]:
    """Send requests that cannot be answered as they are; count the answers by status."""
    heads = [
        b"POST /align HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        for body in (b"{", b"\xff", b"[" * 60_000, b'{"source": 1}', b"null", b'{"source": "a"}', b"")
    ]
    heads += [
        b"POST /align HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"\x00\xff" * 100 + b"\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ]
    answers: Counter[str] = Counter()
    for head in heads:
        with server.connect(60) as connection:
            with suppress(OSError):  # the server may answer and close before it has read all
                connection.sendall(head)
            answers[answer_of(connection)] += 1
    return answers


def huge(server: Server, size: int = 1 << 26) -> Counter[str]:
    """Send a body of 64 MiB, and claim one of a terabyte; count the answers by status."""
    answers: Counter[str] = Counter()
    for claimed in (size, 1 << 40):
        with server.connect(60) as connection:
            with suppress(OSError):
                connection.sendall(
                    b"POST /align HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % claimed
                )
                for _ in range(size >> 16):
                    connection.sendall(b"x" * (1 << 16))
            answers[answer_of(connection)] += 1
    return answers


def with_slow_clients(server: Server, bodies: Sequence[str], count: int) -> list[Outcome]:
    """Ask while ``count`` clients each have sent a part of a request and stay silent."""
    parts = (b"POST /al", b"POST /align HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    with ExitStack() as stack:
        for part in islice(cycle(parts), count):
            stack.enter_context(server.connect()).sendall(part)
        return load(server, bodies, 1)[1]


def report_trouble(server: Server, bodies: Sequence[str], slow: int) -> None:
    """Print what becomes of clients that misbehave, and of an honest one beside them."""
    before = server.memory()
    outcomes = with_slow_clients(server, bodies, slow)
    answered = Counter(outcome for outcome, _ in outcomes)
    longest = max(seconds for _, seconds in outcomes)
    print(f"beside {slow} silent clients: {dict(answered)}, the longest after {1000 * longest:.0f} ms")
    print(f"malformed: {dict(malformed(server))}")
    print(f"huge: {dict(huge(server))}")
    print(f"afterwards: {dict(Counter(outcome for outcome, _ in load(server, bodies, 1)[1]))}")
    print(f"memory before {before:.0f} MiB, after {server.memory():.0f} MiB", flush=True)


def main() -> None:
    """Run the benchmark."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("pairs", metavar="PAIRS", nargs="?", default=str(EXAMPLES))
    options.add_argument("--aligner", default="forest")
    options.add_argument("--requests", type=int, default=200, help="for each number of clients; default: 200")
    options.add_argument("--workers", type=int, help="processes that align")
    options.add_argument("--python", default=sys.executable, help="that runs the server; this one by default")
    options.add_argument("--clients", type=int, nargs="+", default=(1, 8), help="at a time; default: 1 8")
    options.add_argument("--slow", type=int, default=100, help="silent clients; default: 100")
    arguments = options.parse_args()
    read = (pair for pair in read_pairs(arguments.pairs) if not isinstance(pair, InputError))
    texts = [{"source": pair.source.text, "target": pair.target.text} for pair in read]
    bodies = [json.dumps(values) for values in islice(cycle(texts), arguments.requests)]
    chosen = ["--aligner", arguments.aligner]
    if arguments.workers is not None:
        chosen += ["--workers", str(arguments.workers)]
    with running(arguments.python, chosen) as server:
        load(server, bodies[:32], 8)  # models are loaded
        print(
            "| clients | requests | a second | median ms | 95% ms | 99% ms | MiB before | after | answers |"
        )
        print("|---|---|---|---|---|---|---|---|---|")
        for clients in arguments.clients:
            report_load(server, bodies, clients)
        report_trouble(server, bodies[:20], arguments.slow)


if __name__ == "__main__":
    main()
