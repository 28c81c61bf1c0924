"""Messages without passwords: URLs of databases hold them."""

from __future__ import annotations

import re
from urllib.parse import unquote

# Between the user's name and the host; the colon of the scheme, and of a path, is another one.
_OF_USER = re.compile(r"^(?!journal:|sqlite)[^@]*?:(?!//)(\S+)@")
_OPTION = re.compile(r"(?:pass|pwd|secret|token)\w*=([^&#\s]+)", re.IGNORECASE)


def hide_passwords(message: str, *urls: str) -> str:
    """Replace the passwords of URLs in a message by stars, as written and as decoded.

    Parameters
    ----------
    message : str
        The text.
    urls : str
        Such as ``postgresql://user:secret@host/sweeps`` or ``mysql://host/sweeps?password=secret``. Other
        texts have no passwords.

    Examples
    --------
    >>> hide_passwords("no answer from db://me:secret@host", "db://me:secret@host")
    'no answer from db://me:***@host'
    """
    found = [match[1] for url in urls for kind in (_OF_USER, _OPTION) for match in kind.finditer(url)]
    # Messages may hold a text as Python writes it.
    shapes = {shape for secret in found for shape in (secret, unquote(secret), repr(secret)[1:-1])}
    for secret in sorted(shapes, key=len, reverse=True):
        message = message.replace(secret, "***")
    return message
