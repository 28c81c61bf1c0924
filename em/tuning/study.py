"""An Optuna study in a storage that several processes can open."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from forest_align.system.terminal import hide_passwords
from forest_align.types import InputError

if TYPE_CHECKING:
    import optuna

_GRPC = "grpc://"
_PATIENCE_SECONDS = 20.0  # for a server to answer


@dataclass(frozen=True, slots=True)
class SharedStudy:
    """Where a study is stored. Each process opens it separately: connections do not survive a fork."""

    # An Optuna storage URL (`sqlite:///sweep.db`), or `journal:PATH` for a journal file. Many processes can
    # share a journal file, even on a network file system. `grpc://HOST:PORT` is a server that
    # run_grpc_proxy_server runs. No message shows a password in it.
    storage: str = field(repr=False)
    name: str

    @property
    def in_memory(self) -> bool:
        """Whether no other process can see the study."""
        return self.storage in ("sqlite://", "sqlite:///", "sqlite:///:memory:")

    @property
    def can_fork(self) -> bool:
        """Whether a process that has opened the study may fork; gRPC forbids it."""
        return not self.storage.startswith(_GRPC)

    def open(self) -> optuna.Study:
        """Open the study, or create it if the storage has no study of that name."""
        import optuna
        from optuna.exceptions import DuplicatedStudyError, StorageInternalError
        from sqlalchemy.exc import IntegrityError, OperationalError

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        # Processes that create the same tables at the same time can fail; a retry succeeds.
        for remaining in reversed(range(20)):
            try:
                return self._create()
            except (DuplicatedStudyError, StorageInternalError, IntegrityError, OperationalError) as error:
                if not remaining:
                    raise self._error(f"the storage {self.storage!r} does not answer ({error})") from None
                time.sleep(0.2)
            # Optuna and SQLAlchemy raise many kinds of errors for a URL that they cannot use.
            except Exception as error:
                raise self._error(
                    f"expected an Optuna storage URL that can be opened, found {self.storage!r} ({error})"
                ) from None
        raise AssertionError("the last attempt returns or raises")

    def _error(self, message: str) -> InputError:
        return InputError(hide_passwords(message, self.storage))

    def _create(self) -> optuna.Study:
        import optuna

        opened: Any = self.storage
        if self.storage.startswith(_GRPC):
            opened = _proxy(self.storage)
        elif self.storage.startswith("journal:"):
            backend = optuna.storages.journal.JournalFileBackend(self.storage.removeprefix("journal:"))
            opened = optuna.storages.JournalStorage(backend)
        elif self.storage.startswith("sqlite"):
            # Seconds to wait while another process writes.
            opened = optuna.storages.RDBStorage(self.storage, engine_kwargs={"connect_args": {"timeout": 60}})
        pruner = optuna.pruners.MedianPruner(n_startup_trials=5)
        return optuna.create_study(
            storage=opened, study_name=self.name, direction="maximize", pruner=pruner, load_if_exists=True
        )


def _proxy(url: str) -> optuna.storages.BaseStorage:
    """The storage behind a gRPC server."""
    import optuna

    try:
        import grpc  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{error}; pip install 'forest-align[grpc]'") from None
    place = urlsplit(url)
    if not (place.hostname and place.port):
        raise ValueError("expected grpc://HOST:PORT")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        found = optuna.storages.GrpcStorageProxy(host=place.hostname, port=place.port)
    found.wait_server_ready(timeout=_PATIENCE_SECONDS)
    return found
