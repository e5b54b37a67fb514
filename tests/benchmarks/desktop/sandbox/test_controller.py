"""The controller at work in a real desktop: hands that type anything and can be stopped, a tree that no program holds up."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from touchstone.benchmarks.desktop.desktop import Desktop

pytestmark = [pytest.mark.desktop, pytest.mark.asyncio(loop_scope="module")]
TEXT = """<a href="x">é € ü → ñ ß</a> !@#$%^&*()_+{}|:"<>?~`-=[]\\;',./ Ünïcode 中文 😀
SELECT "a" FROM t WHERE b <> 'c;d' AND e >= 1;"""
ASK = """
import http.client, json, socket, sys
class Inside(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX); self.sock.connect("/run/touchstone/controller.sock")
path, body, kind = sys.argv[1:]
token = open("/run/touchstone/token").read().strip()
head = {"Authorization": "Bearer " + token, "Content-Type": kind}
asked = Inside("x"); asked.request("POST" if body else "GET", path, body or None, head)
answer = asked.getresponse(); print(answer.status); print(answer.read().decode())
"""


async def ask(desktop: Desktop, path: str, body: str = "", kind: str = "application/json") -> tuple[int, str]:
    """An endpoint that a Desktop has no method for, asked from inside."""
    done = await desktop.execute(["python3", "-c", ASK, path, body, kind])
    assert done.returncode == 0, done.error
    status, _, text = done.output.partition("\n")
    return int(status), text.strip()


async def until(desktop: Desktop, command: str) -> str:
    """What a command prints once it succeeds."""
    for _ in range(120):
        done = await desktop.execute(command, shell=True)
        if done.returncode == 0 and done.output:
            return done.output
        await asyncio.sleep(0.25)
    raise AssertionError(f"{command}: {done.error}")


async def open_cat(desktop: Desktop) -> None:
    """A terminal in which what is typed goes to a file."""
    await desktop.execute(["rm", "-f", "/tmp/typed"])
    await desktop.launch(["gnome-terminal", "--title=Typing", "--", "sh", "-c", "cat > /tmp/typed; mv /tmp/typed /tmp/whole"])
    await until(desktop, "wmctrl -a Typing && ls /tmp/typed")
    await until(desktop, "xdotool getactivewindow getwindowname | grep Typing")


async def typed(desktop: Desktop) -> str:
    text = await until(desktop, "cat /tmp/whole")
    await desktop.execute(["rm", "/tmp/whole"])
    return text


async def test_any_text_can_be_typed(desktop: Desktop) -> None:
    await open_cat(desktop)
    done = await desktop.act(f"pyautogui.write({TEXT!r})\npyautogui.press('enter')\npyautogui.hotkey('ctrl', 'd')")
    assert (done.error, done.returncode) == ("", 0)
    assert await typed(desktop) == TEXT + "\n"


async def test_more_characters_than_there_are_keys(desktop: Desktop) -> None:
    text = "".join(chr(0x4E00 + 7 * i) for i in range(60))
    await open_cat(desktop)
    await desktop.act(f"pyautogui.write({text!r})\npyautogui.write(['enter'])\npyautogui.hotkey('ctrl', 'd')")
    assert await typed(desktop) == text + "\n"


async def test_any_text_can_be_typed_into_a_page(desktop: Desktop, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<meta charset=utf-8><textarea autofocus rows=20 cols=100></textarea>")
    await desktop.put(page, "/home/user/page.html")
    await desktop.launch(["google-chrome", "file:///home/user/page.html"])
    await tree_until(desktop, "page.html")
    await desktop.act(f"pyautogui.click(400, 300)\npyautogui.write({TEXT!r} + ' the end')")
    tree = ElementTree.fromstring(await tree_until(desktop, "the end"))
    assert f"{TEXT} the end" in [node.text for node in tree.iter("entry")]
    await desktop.execute(["pkill", "chromium"])


async def test_what_the_code_says_and_how_it_ends(desktop: Desktop) -> None:
    done = await desktop.act("print(pyautogui.size())\nraise ValueError('no')")
    assert (done.output, done.returncode) == ("Size(width=1920, height=1080)\n", 1)
    assert done.error.startswith('Traceback (most recent call last):\n  File "<action>", line 2')
    assert done.error.endswith("    raise ValueError('no')\nValueError: no\n")
    assert (await desktop.act("import sys; sys.exit(3)")).returncode == 3
    assert "SyntaxError" in (await desktop.act("x = (")).error
    assert "there is no key 'anykey'" in (await desktop.act("pyautogui.press('anykey')")).error


async def test_actions_do_not_see_each_other(desktop: Desktop) -> None:
    await desktop.act("secret = 1; pyautogui.PAUSE = 5; import os; os.chdir('/')")
    done = await desktop.act("import os; print('secret' in globals(), pyautogui.PAUSE < 1, os.getcwd())")
    assert done.output == "False True /home/user\n"


async def test_an_action_that_does_not_end_is_ended_with_what_it_started(desktop: Desktop) -> None:
    code = "import subprocess\nsubprocess.Popen(['sleep', '4321'])\nprint('begun', flush=True)\ntime.sleep(60)"
    done = await desktop.act(code, seconds=1)
    assert (done.output, done.returncode) == ("begun\n", 124)
    assert "took longer than 1 s and was ended" in done.error
    assert (await desktop.execute(["pgrep", "-f", "sleep 4321"])).returncode == 1
    assert (await desktop.act("print('next')")).output == "next\n"


async def test_a_program_that_an_action_starts_stays(desktop: Desktop) -> None:
    await desktop.act("import subprocess; subprocess.Popen(['gnome-terminal', '--title=Stays', '--', 'sleep', '600'])")
    assert await until(desktop, "wmctrl -l | grep Stays")
    await desktop.act("import subprocess; subprocess.Popen('while :; do echo x; sleep 0.05; done', shell=True)")
    await asyncio.sleep(1)
    assert (await desktop.execute(["pgrep", "-f", "do echo x"])).returncode == 0


async def test_hands_that_the_agent_cuts_off_grow_again(desktop: Desktop) -> None:
    with pytest.raises(Exception, match="worker died"):
        await desktop.act("import os, signal; os.kill(os.getppid(), signal.SIGKILL); time.sleep(5)")
    assert (await desktop.act("pyautogui.write('é'); print('again')")).output == "again\n"


async def test_windows_by_their_names(desktop: Desktop) -> None:
    await desktop.launch(["gnome-terminal", "--title=Harbour", "--", "sleep", "600"])
    await until(desktop, "wmctrl -l | grep Harbour")
    assert (await ask(desktop, "/setup/activate_window", '{"window_name": "Harb"}'))[0] == 200
    assert (await ask(desktop, "/setup/activate_window", '{"window_name": "Harb", "strict": true}'))[0] == 404
    status, size = await ask(
        desktop, "/window_size", "app_class_name=gnome-terminal-server", "application/x-www-form-urlencoded"
    )
    assert status == 200
    assert json.loads(size)["width"] > 200
    assert (await ask(desktop, "/setup/close_window", '{"window_name": "Harbour", "strict": true}'))[0] == 200
    await until(desktop, "wmctrl -l | grep -q Harbour || echo gone")


async def test_the_pointer_the_screen_and_readiness(desktop: Desktop) -> None:
    await desktop.act("pyautogui.moveTo(123, 456)")
    assert json.loads((await ask(desktop, "/cursor_position"))[1]) == [123, 456]
    assert json.loads((await ask(desktop, "/screen_size", "{}"))[1]) == {"width": 1920, "height": 1080}
    assert json.loads((await ask(desktop, "/ready"))[1]) == {"status": "ready", "missing": []}


async def test_a_program_that_hangs_does_not_hold_up_the_tree(desktop: Desktop) -> None:
    await desktop.launch(["gedit", "/home/user/frozen.txt"])
    await tree_until(desktop, "frozen.txt")
    await desktop.execute(["pkill", "-STOP", "-x", "gedit"])
    tree = ElementTree.fromstring(await desktop.accessibility())
    assert [node for node in tree if node.get("cut") == "silent"]
    await desktop.execute(["pkill", "-KILL", "-x", "gedit"])


async def test_control_characters_in_a_window(desktop: Desktop) -> None:
    await desktop.launch(["gnome-terminal", "--title=Odd", "--", "sh", "-c", r"printf 'odd \001 <&> \342\234\223'; sleep 600"])
    assert "odd" in await tree_until(desktop, "odd")


async def tree_until(desktop: Desktop, words: str) -> str:
    """The tree, which is XML, once it has these words."""
    for _ in range(60):
        found = await desktop.accessibility()
        ElementTree.fromstring(found)
        if words in found:
            return found
        await asyncio.sleep(0.5)
    raise AssertionError(f"{words} never came")
