"""The cache of compiled programs: who may use it, its size, faults of the disk, many processes."""

from __future__ import annotations

import fcntl
import os
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dovetail import config
from dovetail.compiler import cache as cache_module
from dovetail.compiler import file_lock
from dovetail.compiler.cache import Cache, cache_statistics
from dovetail.compiler.module_files import compile_module, default_cache, entry_of
from dovetail.compiler.targets import Target

IDENTITY = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{ return %a : tensor<4xf32> }} // {}"


def key(number: int) -> str:
    return f"{number:064x}.vmfb"


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def directory_of(cache: Cache) -> Path:
    assert cache.directory is not None
    return cache.directory


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True
    )


# Access


def test_the_directory_is_private(cache: Cache) -> None:
    cache.put(key(0), b"content")
    assert stat.S_IMODE(directory_of(cache).stat().st_mode) == 0o700
    assert stat.S_IMODE((directory_of(cache) / key(0)).stat().st_mode) == 0o600


def test_a_directory_writable_by_others_is_rejected(tmp_path: Path) -> None:
    good = Cache(tmp_path / "cache")
    good.put(key(0), b"content")
    (tmp_path / "cache").chmod(0o770)
    cache = Cache(tmp_path / "cache")
    with pytest.warns(RuntimeWarning, match="others may write to .*, which `chmod go-w` would"):
        assert cache.get(key(0)) is None
    # It says so once.
    assert cache.get_or_make(key(0), lambda why: why.encode()) == b"nothing is kept"
    cache.put(key(1), b"content")
    assert not (tmp_path / "cache" / key(1)).exists()
    # Reading is harmless.
    (tmp_path / "cache").chmod(0o755)
    assert Cache(tmp_path / "cache").get(key(0)) == b"content"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_the_directory_of_another_user_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(0o700)
    os.chown(tmp_path / "cache", 12345, 12345)
    cache = Cache(tmp_path / "cache")
    with pytest.warns(RuntimeWarning, match="belongs to another user, number 12345"):
        cache.put(key(0), b"content")
    assert list((tmp_path / "cache").iterdir()) == []


# Its size


def test_those_used_last_are_kept(tmp_path: Path) -> None:
    entry = 1000 + cache_module._DIGEST_SIZE
    cache = Cache(tmp_path / "cache", 4 * entry)
    evicted = cache_statistics().evicted
    for number in range(4):
        cache.put(key(number), bytes(1000))
        os.utime(directory_of(cache) / key(number), (number, number))
    assert cache_statistics().evicted == evicted
    # Use makes the oldest the newest.
    assert cache.get(key(0)) is not None
    # Other files are none of its business.
    (directory_of(cache) / "notes.txt").write_bytes(bytes(10 * entry))
    cache.put(key(4), bytes(1000))
    kept = {path.name for path in directory_of(cache).glob("*.vmfb")}
    assert kept == {key(0), key(3), key(4)}
    assert (directory_of(cache) / "notes.txt").exists()
    assert cache_statistics().evicted == evicted + 2


def test_entries_of_other_processes_count(tmp_path: Path) -> None:
    entry = 1000 + cache_module._DIGEST_SIZE
    for number in range(4):
        Cache(tmp_path / "cache").put(key(number), bytes(1000))
        os.utime(tmp_path / "cache" / key(number), (number, number))
    Cache(tmp_path / "cache", 3 * entry).put(key(4), bytes(1000))
    kept = {path.name for path in (tmp_path / "cache").iterdir()}
    assert kept == {key(3), key(4)}


def test_a_size_of_zero_and_of_less_than_an_entry(tmp_path: Path) -> None:
    assert Cache(tmp_path / "cache", 0).get_or_make(key(0), lambda _: b"made") == b"made"
    assert not (tmp_path / "cache").exists()
    cache = Cache(tmp_path / "cache", 10)
    assert cache.get_or_make(key(0), lambda _: bytes(1000)) == bytes(1000)
    assert cache.get(key(0)) is None


def test_settings_choose_directory_and_size(tmp_path: Path) -> None:
    with config.compilation_cache_dir(tmp_path), config.compilation_cache_max_size(12345):
        assert default_cache() is default_cache()
        assert default_cache().directory == tmp_path
        assert default_cache()._max_size == 12345
        with config.enable_compilation_cache(False):
            assert default_cache().directory is None
    with pytest.raises(ValueError, match=r"must be a number of bytes, or -1, got: -2"):
        config.update("compilation_cache_max_size", -2)


# Faults


def test_every_flipped_bit_is_noticed(cache: Cache) -> None:
    cache.put(key(0), b"some content")
    path = directory_of(cache) / key(0)
    good = path.read_bytes()
    damaged = cache_statistics().damaged
    for place in range(len(good)):
        for bit in range(8):
            entry = bytearray(good)
            entry[place] ^= 1 << bit
            path.write_bytes(entry)
            assert cache.get(key(0)) is None
            assert not path.exists()
    assert cache_statistics().damaged == damaged + 8 * len(good)


# In a separate process, which may wait forever.
NO_FILE = """
import os, socket, sys
from pathlib import Path
from dovetail.compiler.cache import Cache
directory, kind = Path(sys.argv[1]), sys.argv[2]
cache = Cache(directory)
cache.put("other", b"content")
for name in ("entry", ".lock-entry"):
    path = directory / name
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        os.chdir(directory)
        socket.socket(socket.AF_UNIX).bind(name)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
assert cache.get("entry") is None
assert cache.get_or_make("entry", lambda why: b"made") == b"made"
assert cache.get("other") == b"content"
"""


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "directory"])
def test_entries_that_are_not_files_count_as_absent(tmp_path: Path, kind: str) -> None:
    command = [sys.executable, "-c", NO_FILE, str(tmp_path / "cache"), kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_damaged_entry_is_compiled_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache, text = Cache(tmp_path / "cache"), IDENTITY.format("damaged")
    with config.explain_cache_misses(True):
        first = compile_module(text, cache=cache, name="f")
        (path,) = directory_of(cache).iterdir()
        path.write_bytes(path.read_bytes()[:-1])
        before = cache_statistics()
        assert compile_module(text, cache=cache, name="f") == first
        assert compile_module(text, cache=cache) == first
        assert compile_module(text, cache=Cache(None)) == first
    after = cache_statistics()
    assert after.damaged == before.damaged + 1
    assert (after.hits, after.misses) == (before.hits + 1, before.misses + 2)
    assert after.stored == before.stored + 1
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [
        "`f` is compiled: nothing is kept yet",
        f"`f` is compiled: {path} was damaged",
        "a module is compiled: nothing is kept",
    ]


# Writing beyond the file size limit stops in the middle: with an error or, by default, a signal.
FULL = """
import resource, signal, sys, warnings
from pathlib import Path
from dovetail.compiler.cache import Cache
warnings.simplefilter("always")
cache = Cache(Path(sys.argv[1]))
cache.put("0" * 64 + ".vmfb", b"small")
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
if sys.argv[2] == "die":
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
for number in (1, 2):
    made = cache.get_or_make(f"{number:064x}.vmfb", lambda why: bytes(1 << 20))
print(len(made), cache.get("0" * 64 + ".vmfb"))
"""


def test_a_full_disk_costs_only_the_speed_up(tmp_path: Path) -> None:
    done = run(FULL, tmp_path / "cache", "go on")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(1 << 20), "b'small'"]
    assert done.stderr.count("RuntimeWarning: compiled programs are not kept: ") == 1
    assert "File too large" in done.stderr
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [key(0)]


def test_death_in_the_middle_of_writing(tmp_path: Path) -> None:
    done = run(FULL, tmp_path / "cache", "die")
    assert done.returncode == -signal.SIGXFSZ
    left = {path.name for path in (tmp_path / "cache").iterdir()} - {key(0)}
    assert {name[:6] for name in left} == {".writi", ".lock-"}
    # None of it is mistaken for an entry, and nobody waits for the process that held the lock.
    cache = Cache(tmp_path / "cache", 1 << 20)
    assert cache.get_or_make(key(1), lambda why: b"made") == b"made"
    assert cache.get(key(1)) == b"made"
    # Some time later the rest is removed.
    (rest,) = (tmp_path / "cache").glob(".writing-*")
    lock = tmp_path / "cache" / (".lock-" + key(9))
    held = tmp_path / "cache" / (".lock-" + key(8))
    for path in (rest, lock, held):
        path.touch()
        os.utime(path, (0, 0))
    with held.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        Cache(tmp_path / "cache", 1 << 20).put(key(2), b"another")
        assert held.exists()
    assert not rest.exists()
    assert not lock.exists()


# Many at a time


def test_one_of_many_threads_compiles(cache: Cache) -> None:
    count, made = 4, []
    all_ask = threading.Barrier(count)

    def ask(number: int) -> bytes:
        def make(why: str) -> bytes:
            made.append(number)
            return b"made by %d" % number

        all_ask.wait()
        return cache.get_or_make(key(0), make)

    with ThreadPoolExecutor(count) as pool:
        answers = set(pool.map(ask, range(count)))
    assert len(made) == 1
    assert answers == {b"made by %d" % made[0]}


ASK = """
import sys
from pathlib import Path
from dovetail.compiler.cache import Cache, cache_statistics

def make(why):
    print("making", flush=True)
    sys.stdin.readline()
    return b"made"

cache = Cache(Path(sys.argv[1]))
print(cache.get_or_make("0" * 64 + ".vmfb", make), cache_statistics())
"""


def test_other_processes_wait_for_the_one_that_compiles(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ASK, str(tmp_path / "cache")]

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    first = start()
    assert first.stdout is not None
    assert first.stdout.readline() == "making\n"
    # This process is one of the others; they can do nothing until the first may continue.
    with ThreadPoolExecutor(1) as pool:
        cache = Cache(tmp_path / "cache")
        answer = pool.submit(cache.get_or_make, key(0), lambda why: b"made twice")
        second = start()
        printed, _ = first.communicate("go on\n")
        assert answer.result() == b"made"
    assert "stored=1" in printed
    printed, _ = second.communicate("\n")
    assert printed.startswith("b'made' ")
    assert "hits=1, misses=0" in printed
    assert {path.name for path in (tmp_path / "cache").iterdir()} == {key(0)}


def test_a_killed_process_is_not_waited_for(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ASK, str(tmp_path / "cache")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"making\n"
        with ThreadPoolExecutor(1) as pool:
            cache = Cache(tmp_path / "cache")
            answer = pool.submit(cache.get_or_make, key(0), lambda why: b"made here")
            holder.kill()
            assert answer.result() == b"made here"


def test_the_wait_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_PATIENCE", 0.05)
    cache = Cache(tmp_path / "cache")
    cache.put(key(1), b"other")
    with file_lock.held(tmp_path / "cache" / (".lock-" + key(0)), 0) as is_held:
        assert is_held
        assert cache.get_or_make(key(0), lambda why: b"made") == b"made"
    assert cache.get(key(0)) == b"made"


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with file_lock.held(path, 0) as first:
        with file_lock.held(path, 0) as second:
            assert (first, second) == (True, False)
        assert path.exists()
    assert not path.exists()
    with file_lock.held(path, 0) as again:
        assert again
    with file_lock.held(tmp_path / "no such folder" / "lock", 0) as nowhere:
        assert not nowhere


def test_a_forked_process_holds_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with file_lock.held(path, 0):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            # Lives on until the test is over, and holds nothing.
            os.close(write)
            os.read(read, 1)
            os._exit(0)
    with file_lock.held(path, 0) as again:
        assert again
    os.close(write)
    os.close(read)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_compiled_programs_have_names(tmp_path: Path) -> None:
    cache, text = Cache(tmp_path / "cache"), IDENTITY.format("named")
    compile_module(text, cache=cache)
    assert [p.name for p in directory_of(cache).iterdir()] == [entry_of(text, Target("cpu"))]
    assert cache_module._ENTRY.fullmatch(entry_of(text, Target("cpu")))
