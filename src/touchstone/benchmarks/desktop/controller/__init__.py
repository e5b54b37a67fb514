"""The controller: the program inside a desktop that acts on it and looks at it, spoken to over HTTP.

It runs as the desktop's user with `python3 FOLDER --socket … --token-file …`, on nothing but the standard library and, for what
needs a screen, Debian's python3-gi with AT-SPI, python3-pil and pyautogui. It never imports Touchstone: only this folder is in
the desktop. Endpoints have the published names and shapes, so that agents written for the published machine work with it.
"""
