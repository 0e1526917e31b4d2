"""Types as editors see them: those of an installed package with `py.typed`, in strict mode."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.jaxprs import primitives

PROGRAM = Path(__file__).with_name("typed") / "program.py"


def installed(repository: Path, folder: Path) -> None:
    """Makes a project with an environment in which Dovetail is installed."""
    packages = folder / "env" / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "dovetail").symlink_to(repository / "python" / "dovetail")
    settings = {
        "include": ["program.py"],
        "venvPath": str(folder),
        "venv": "env",
        "extraPaths": [sysconfig.get_path("purelib")],
        "pythonVersion": "3.11",
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))


def pyright(folder: Path) -> list[tuple[int, str]]:
    """The lines and rules of what pyright reports."""
    command = Path(sys.executable).with_name("pyright")
    done = subprocess.run([command, "--outputjson"], cwd=folder, capture_output=True, text=True)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [(f["range"]["start"]["line"] + 1, f.get("rule", f["message"])) for f in found]


@pytest.mark.slow
def test_a_program_is_clean_in_strict_mode(repository: Path, tmp_path: Path) -> None:
    installed(repository, tmp_path)
    shutil.copy(PROGRAM, tmp_path)
    assert len(PROGRAM.read_text().splitlines()) >= 200
    assert pyright(tmp_path) == []


def test_the_program_runs(tmp_path: Path) -> None:
    subprocess.run([sys.executable, PROGRAM], cwd=tmp_path, check=True, capture_output=True)


def test_types_are_those_that_users_expect(repository: Path, tmp_path: Path) -> None:
    """What an editor shows, and completes; an error where an argument has a wrong type."""
    installed(repository, tmp_path)
    (tmp_path / "program.py").write_text(
        "from typing import assert_type\n"
        "import dovetail as dt\n"
        "import dovetail.numpy as dnp\n"
        "x = dnp.ones((2, 3))\n"
        "assert_type(x, dt.Array)\n"
        "assert_type(x.T.reshape(-1).at[0].set(1), dt.Array)\n"
        "assert_type(dt.random.split(dt.random.key(0)), dt.Array)\n"
        "assert_type(x + 1, dt.Array)\n"
        "x.reshaped(-1)\n"
        "dnp.sin(x, 3)\n"
        "dnp.ones((2, 3), kind=float)\n"
        "dt.lax.reshape(x, (6,), out_shardings=None)\n"
        "dnp.matmul(x, x.T, out_sharding=dt.P())\n"
    )
    assert pyright(tmp_path) == [
        (9, "reportAttributeAccessIssue"),
        (10, "reportCallIssue"),
        (11, "reportCallIssue"),
        (12, "reportCallIssue"),
    ]


COMPLETED: str = """import dovetail as dt
import dovetail.numpy as dnp
x = dnp.zeros((2, 3))
y = dnp.
z = x.
g = dt.
h = dt.lax.
k = dt.grad
"""


class LanguageServer:
    """Pyright as editors run it: messages with a head, in both directions."""

    def __init__(self, folder: Path) -> None:
        command = [Path(sys.executable).with_name("pyright-langserver"), "--stdio"]
        self._process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._count = 0
        root = folder.as_uri()
        self.ask(
            "initialize",
            processId=None,
            rootUri=root,
            workspaceFolders=[{"uri": root, "name": "program"}],
            capabilities={},
        )
        self.tell("initialized")

    def tell(self, method: str, **params: Any) -> None:
        """Sends a notification."""
        self._send({"method": method, "params": params})

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request; requests of the server get no settings."""
        self._count += 1
        self._send({"id": self._count, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                items = message["params"].get("items", []) if message.get("params") else []
                self._send({"id": message["id"], "result": [{} for _ in items]})
            elif message.get("id") == self._count:
                return message["result"]

    def close(self) -> None:
        """Ends the server."""
        self.ask("shutdown")
        self.tell("exit")
        self._process.communicate(timeout=60)

    def _send(self, message: dict[str, Any]) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b": ")
            length = int(value) if name == b"Content-Length" else length
        assert length
        return json.loads(self._process.stdout.read(length))


@pytest.mark.slow
def test_editors_complete_names_without_running_code(repository: Path, tmp_path: Path) -> None:
    installed(repository, tmp_path)
    server = LanguageServer(tmp_path)
    document = {"uri": (tmp_path / "program.py").as_uri()}
    (tmp_path / "program.py").write_text(COMPLETED)
    opened = {**document, "languageId": "python", "version": 1, "text": COMPLETED}
    server.tell("textDocument/didOpen", textDocument=opened)

    def completions(line: str) -> set[str]:
        number = COMPLETED.splitlines().index(line)
        place = {"line": number, "character": len(line)}
        found = server.ask("textDocument/completion", textDocument=document, position=place)
        return {item["label"] for item in (found["items"] if isinstance(found, dict) else found)}

    functions = {
        name
        for name, value in vars(dnp).items()
        if callable(value) and getattr(value, "__name__", "") == name and name[0] != "_"
    }
    assert len(functions) > 350
    assert functions <= completions("y = dnp.")
    assert {name for name in dir(dt.Array) if name[0] != "_"} <= completions("z = x.")
    assert {name for name in dt.__all__ if name != "jacobian"} <= completions("g = dt.")
    assert {"scan", "cond", "psum", "linalg", *primitives.names()} <= completions("h = dt.lax.")
    place = {"line": COMPLETED.splitlines().index("k = dt.grad"), "character": 9}
    shown = server.ask("textDocument/hover", textDocument=document, position=place)
    assert "A function that returns" in str(shown["contents"])
    server.close()


def test_public_names_are_exported_for_type_checkers(repository: Path) -> None:
    """`import a as a`, or an assignment; `import a` alone is private in a typed package."""
    tree = ast.parse((repository / "python/dovetail/numpy/__init__.py").read_text())
    private = [
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if name.asname is None and name.name != "annotations"
    ]
    assert not private
    assert dnp.ndarray is dt.Array
