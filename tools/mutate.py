"""Puts small mistakes into changed lines and shows which of them no test notices.

    python tools/mutate.py --base HEAD~5 --limit 100
    python tools/mutate.py --paths src/hearth/recall src/hearth/text --limit 150 --seed 2

``--base`` takes the lines of ``src`` that differ from a commit, ``--paths`` whole files or folders; ``--limit`` draws
so many mutants at random. Each runs against the tests nearest to its module, those that import it, or else those that
import what imports it; what survives there meets all tests of its package, and of one deep inside others those of the
one around it. That happens in a fork of one process, in which the module alone is another: tests that start Hearth in a
process of its own run it unchanged. A mutant is killed when a test fails, and when its tests take ten times as long as
without it.

What survives is printed at once, a table of all in the end, or when Ctrl-C or SIGTERM ends it, in a shell's background,
too.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import entry_points
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, FrameType, ModuleType

from mutants import Mutant, mutants
from nearest import Project

ROOT = Path(__file__).resolve().parents[1]
_PRELOADED = ("pytest", "hypothesis", "numpy", "apsw", "yaml", "click")
_LEAST_SECONDS = 20.0
_SLOWER = 10
_UNUSED = "schemathesis"
# These modules are there before pytest can look at their assertions.
_LENIENT = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
_PASSED, _FAILED, _NOTHING = 0, 1, 5
_DEAD, _ALIVE = ("killed", "endless"), ("survived", "untested")
_ENDING = (signal.SIGINT, signal.SIGTERM)
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Trial:
    """A mutant of ``file``, a path within the project."""

    file: Path
    mutant: Mutant

    def diff(self, root: Path) -> str:
        before = (root / self.file).read_text(encoding="utf-8").splitlines()
        after = self.mutant.source.splitlines()
        return "\n".join(
            line for line in difflib.unified_diff(before, after, lineterm="", n=0) if line[:2] not in _HEADS
        )


_HEADS = ("--", "++", "@@")


def main(arguments: Sequence[str] | None = None) -> int:
    options = _options(arguments)
    project = Project(options.root)
    trials = _trials(project, options)
    runner = Runner(project)
    outcomes: list[tuple[Trial, str]] = []
    for number in _ENDING:
        signal.signal(number, _interrupt)
    with suppress(KeyboardInterrupt):
        for trial in trials:
            outcome = runner.outcome(trial)
            outcomes.append((trial, outcome))
            if outcome in _ALIVE:
                what = f"{trial.file}:{trial.mutant.line}: {trial.mutant.what}"
                print(f"\n{outcome}: {what}\n{trial.diff(options.root)}", flush=True)
            alive = sum(outcome in _ALIVE for _, outcome in outcomes)
            print(f"\r{len(outcomes)} of {len(trials)}, {alive} alive", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    _print(outcomes, len(trials))
    if len(outcomes) < len(trials):
        return _INTERRUPTED
    return 1 if any(outcome == "broken" for _, outcome in outcomes) else 0


def _interrupt(number: int, frame: FrameType | None) -> None:
    """A second signal must not cut the table short."""
    for ending in _ENDING:
        signal.signal(ending, signal.SIG_IGN)
    raise KeyboardInterrupt


def _trials(project: Project, options: argparse.Namespace) -> list[Trial]:
    files: dict[Path, set[int] | None] = {}
    if options.base:
        files.update(project.changed(options.base))
    if options.paths:
        chosen = project.files(options.paths)
        files = {file: files.get(file) for file in chosen if not options.base or file in files}
    made = [
        Trial(file, mutant)
        for file, lines in sorted(files.items())
        for mutant in mutants((options.root / file).read_text(encoding="utf-8"), lines)
    ]
    if options.limit is not None and len(made) > options.limit:
        made = random.Random(options.seed).sample(made, options.limit)
    return sorted(made, key=lambda trial: (trial.file, trial.mutant.line))


class Runner:
    """Runs tests in forks; what they take without a mutant is measured once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._seconds: dict[tuple[str, ...], float | None] = {}
        plugins = [plugin.module for plugin in entry_points(group="pytest11") if plugin.name != _UNUSED]
        for name in (*_PRELOADED, *plugins):
            with suppress(ImportError):
                importlib.import_module(name)

    def outcome(self, trial: Trial) -> str:
        """``killed``, ``endless``, ``survived``, ``untested``, or ``broken`` where tests fail without a mutant."""
        said = "untested"
        for tests in self._project.nearest(trial.file):
            limit = self._limit(tests)
            if limit is None:
                return "broken"
            code = self._run(tests, limit, trial)
            if code is None:
                return "endless"
            if code not in (_PASSED, _NOTHING):
                return "killed"
            said = "survived" if code == _PASSED else said
        return said

    def _limit(self, tests: tuple[str, ...]) -> float | None:
        if tests not in self._seconds:
            began = time.monotonic()
            code = self._run(tests, 600, None)
            spent = time.monotonic() - began
            self._seconds[tests] = max(_LEAST_SECONDS, _SLOWER * spent) if code in (_PASSED, _NOTHING) else None
        return self._seconds[tests]

    def _run(self, tests: tuple[str, ...], limit: float, trial: Trial | None) -> int | None:
        """The exit code of pytest; ``None`` where it had to be ended."""
        with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
            pid = os.fork()
            if pid == 0:
                self._test(tests, trial, Path(folder))
            try:
                code = _awaited(pid, limit)
            finally:
                _end(pid)
            if trial is None and code not in (_PASSED, _NOTHING):
                print(f"\nthese fail as it is: {' '.join(tests)}", _said(Path(folder)), sep="\n", file=sys.stderr)
            return code

    def _test(self, tests: tuple[str, ...], trial: Trial | None, folder: Path) -> None:
        """In the fork; does not return."""
        code = _FAILED
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.setsid()
            quiet = os.open(folder / "said", os.O_RDWR | os.O_CREAT)
            for number in (1, 2):
                os.dup2(quiet, number)
            os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(folder / "hypothesis")
            os.chdir(self._project.root)
            sys.path.insert(0, str(self._project.root / "src"))
            if trial is not None:
                name = self._project.module(trial.file)
                sys.meta_path.insert(0, _Instead(name, trial.mutant.source, self._project.root / trial.file))
            import pytest

            unused = [word for name in ("cacheprovider", "randomly", _UNUSED) for word in ("-p", f"no:{name}")]
            plain = ("-x", "-q", *unused, "-n0", "--hypothesis-seed=0", *_LENIENT)
            base = f"--basetemp={folder / 'tmp'}"
            code = int(pytest.main([*plain, base, "-m", "not torture", *tests]))
        except BaseException:  # noqa: BLE001 (a fork must not go on with what the tool was doing)
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


class _Instead(MetaPathFinder, Loader):
    """Gives one module another source."""

    def __init__(self, name: str, source: str, file: Path) -> None:
        self._name, self._source, self._file = name, source, file

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        package = self._file.name == "__init__.py"
        spec = spec_from_loader(fullname, self, origin=str(self._file), is_package=package)
        if spec is not None and package:
            spec.submodule_search_locations = [str(self._file.parent)]
        if spec is not None:
            spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        code: CodeType = compile(self._source, str(self._file), "exec", dont_inherit=True)
        exec(code, module.__dict__)  # noqa: S102 (running a changed module is what this is for)


def _awaited(pid: int, limit: float) -> int | None:
    """The exit code of a fork; ``None`` where it went on after ``limit`` seconds."""
    until = time.monotonic() + limit
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    return None


def _said(folder: Path) -> str:
    return "\n".join((folder / "said").read_text(encoding="utf-8", errors="replace").splitlines()[-20:])


def _end(pid: int) -> None:
    """With everything that the tests started."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _print(outcomes: Sequence[tuple[Trial, str]], tried: int) -> None:
    kinds = (*_DEAD, *_ALIVE, "broken")
    rows = list(_rows(outcomes, kinds))
    width = max(len(str(row[0])) for row in rows)
    print()
    for name, *counts in [("file", *kinds), *rows]:
        print(f"{name:{width}}" + "".join(f"{count!s:>10}" for count in counts))
    dead = sum(outcome in _DEAD for _, outcome in outcomes)
    left = f", {tried - len(outcomes)} not tried" if len(outcomes) < tried else ""
    print(f"\n{dead} of {len(outcomes)} mutants killed{left}")


def _rows(outcomes: Sequence[tuple[Trial, str]], kinds: Sequence[str]) -> Iterator[tuple[object, ...]]:
    counts: dict[str, Counter[str]] = {}
    for trial, outcome in outcomes:
        counts.setdefault(str(trial.file), Counter())[outcome] += 1
    counts["all"] = sum(counts.values(), Counter())
    for name, found in counts.items():
        yield (name, *(found[kind] for kind in kinds))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", help="a commit: lines that differ from it")
    parser.add_argument("--paths", nargs="+", type=Path, help="files and folders below src")
    parser.add_argument("--limit", type=int, help="most mutants to try")
    parser.add_argument("--seed", type=int, default=1, help="which are drawn where there are more")
    parser.add_argument("--root", type=Path, default=ROOT, help="the project")
    options = parser.parse_args(arguments)
    if not options.base and not options.paths:
        parser.error("say --base, --paths or both")
    options.root = options.root.resolve()
    return options


if __name__ == "__main__":
    sys.exit(main())
