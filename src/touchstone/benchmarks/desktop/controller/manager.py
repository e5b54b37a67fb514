"""The window manager, asked something that it answers in its turn: when it has, all that came before is dealt with.

It gives windows the keyboard after a click, and reads the whole keyboard table again for each change of it. On a busy machine
it may be behind; keys that are pressed meanwhile would go to the wrong window or to none.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

PATIENCE = 3.0
_PAUSE = 0.002
_SUBSTRUCTURE = 0x180000


class Manager:
    """Whoever manages the windows; nothing is waited for if nobody does."""

    def __init__(self, display: Any) -> None:
        self._display, self._root = display, display.screen().root
        self._question = display.intern_atom("_NET_REQUEST_FRAME_EXTENTS")
        self._answer = display.intern_atom("_NET_FRAME_EXTENTS")
        self._present = self._root.get_full_property(display.intern_atom("_NET_SUPPORTING_WM_CHECK"), 0) is not None

    def settle(self) -> None:
        """Asks how wide the frame of a window would be, which is never shown."""
        if not self._present:
            return
        window = self._root.create_window(0, 0, 1, 1, 0, self._display.screen().root_depth)
        message: Any = import_module("Xlib.protocol.event").ClientMessage
        question = message(window=window, client_type=self._question, data=(32, [0] * 5))
        self._root.send_event(question, event_mask=_SUBSTRUCTURE)
        self._present = self._answered(window)
        window.destroy()
        self._display.sync()

    def _answered(self, window: Any) -> bool:
        limit = time.monotonic() + PATIENCE
        while window.get_full_property(self._answer, 0) is None:
            if time.monotonic() > limit:
                return False
            time.sleep(_PAUSE)
        return True
