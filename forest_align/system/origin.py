"""Objects that are pickled by what they were loaded from; a process loads each of them once.

A pickle of a :class:`Loaded` object has a function that loads it, such as :func:`forest_align.load`, its
arguments, and digests of the files that were read. It has no weights. Unpickling returns the object that this
process has already, or loads it and compares the digests. A process keeps the :data:`KEPT` objects that were
unpickled last; those that it loaded itself are found for as long as it uses them.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Self
from weakref import WeakValueDictionary

from forest_align.system.processes import use_one_thread
from forest_align.types import ModelError

#: How many unpickled objects a process keeps, although nothing else refers to them.
KEPT = 4


class Origin(NamedTuple):
    """What an object was loaded from."""

    loader: Callable[..., Any]  # a function of a module, called with the arguments
    arguments: Mapping[str, Any]  # paths are absolute: other processes may have other working directories
    contents: Mapping[str, str]  # names of what was read, such as ``model`` -> digest or version

    @property
    def key(self) -> str | None:
        """A hash by which equal origins are found; None if an argument cannot be pickled."""
        loader = f"{self.loader.__module__}.{self.loader.__qualname__}"
        digest = hashlib.sha256(repr((loader, sorted(self.contents.items()))).encode())
        try:
            for name, value in sorted(self.arguments.items()):
                origin = value._origin if isinstance(value, Loaded) else None
                key = origin.key if origin is not None else None
                # One by one: a pickle of several depends on which of their strings are the same object.
                digest.update(name.encode() + b"\0" + (pickle.dumps(value) if key is None else key.encode()))
        except (TypeError, AttributeError, pickle.PicklingError):
            return None
        return digest.hexdigest()


class Loaded:
    """Base class of objects that are pickled by their :class:`Origin`, used or not.

    An object without an origin, or with a public attribute changed after loading, cannot be pickled.
    """

    _origin: Origin | None = None
    _public: Mapping[str, Any] = {}

    def loaded_from(
        self, loader: Callable[..., Any], arguments: Mapping[str, Any], contents: Mapping[str, str]
    ) -> Self:
        """Remember the origin, once the object is as its loader returns it; return the object."""
        self._origin = Origin(loader, arguments, contents)
        self._public = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return self

    def changed_attributes(self) -> list[str]:
        """Names of the public attributes that were assigned after loading."""
        return [name for name, value in self._public.items() if vars(self).get(name) is not value]

    def __reduce__(self) -> tuple[Any, ...]:
        what = type(self).__name__
        if self._origin is None:
            raise TypeError(
                f"this {what} cannot be pickled, because it was not loaded by name or from a folder: save "
                "it, and use forest_align.load, or load_parser for a parser"
            )
        if changed := self.changed_attributes():
            raise TypeError(
                f"this {what} cannot be pickled: {', '.join(changed)} was changed after it was loaded; give "
                "it as an option when you load it"
            )
        with _KEPT.lock:
            if (key := self._origin.key) is not None:
                _KEPT.alive[key] = self
        return loaded_again, tuple(self._origin)

    def __copy__(self) -> Self:
        """A shallow copy, which has no origin: it is made to be changed."""
        copied = type(self).__new__(type(self))
        vars(copied).update(vars(self))
        copied._origin, copied._public = None, {}
        return copied


class _Kept:
    """The objects of this process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.alive: WeakValueDictionary[str, Loaded] = WeakValueDictionary()
        self.recent: deque[Loaded] = deque(maxlen=KEPT)
        self.process = os.getpid()


_KEPT = _Kept()


def loaded_again(
    loader: Callable[..., Any], arguments: Mapping[str, Any], contents: Mapping[str, str]
) -> Loaded:
    """Return the object of an origin: this process's own, or a newly loaded one.

    Raises ModelError if it cannot be loaded here, or was made from other files than there.
    """
    with _KEPT.lock:
        if os.getpid() != _KEPT.process:  # torch would wait for the threads of the parent process
            use_one_thread()
        key = Origin(loader, arguments, contents).key
        loaded = _KEPT.alive.get(key) if key is not None else None
        if loaded is None or loaded.changed_attributes():
            loaded = _load(loader, arguments, contents)
            if key is not None:
                _KEPT.alive[key] = loaded
        _KEPT.recent = deque([other for other in _KEPT.recent if other is not loaded], maxlen=KEPT)
        _KEPT.recent.append(loaded)
        return loaded


def _load(loader: Callable[..., Any], arguments: Mapping[str, Any], contents: Mapping[str, str]) -> Loaded:
    try:
        loaded: Loaded = loader(**arguments)
    except ModelError as error:
        raise ModelError(f"cannot load what was pickled: {error}") from None
    here = loaded._origin.contents if loaded._origin is not None else {}
    for name, then in contents.items():
        if (now := here.get(name, "")) != then:
            raise ModelError(
                f"cannot load what was pickled: expected {name} {then}, found {now or 'none'} here; all "
                "processes need the same files"
            )
    return loaded


if hasattr(os, "register_at_fork"):
    # A thread of the parent process may hold the lock.
    os.register_at_fork(after_in_child=lambda: setattr(_KEPT, "lock", threading.RLock()))
