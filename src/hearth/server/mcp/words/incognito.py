"""What is incognito, in words."""

from __future__ import annotations

from hearth.model.host.switches import IncognitoReport
from hearth.server.mcp import render
from hearth.server.operations.arguments import Arguments


def incognito(result: IncognitoReport, given: Arguments) -> str:
    what = f"session {result.session}" if result.session is not None else f"folder {result.folder}"
    where = "" if result.session is None and result.folder is None else f" for {render.name(what)}"
    problems = "".join(f"\nProblem: {render.line(problem)}" for problem in result.problems)
    off = result.here
    if off.everything:
        said = f"Incognito{where}: {render.line(off.why)}. Nothing is read, nothing is kept."
    elif off.capture or off.surface:
        said = f"{'Capture' if off.capture else 'Surfacing'} is off{where}: {render.line(off.why)}."
    else:
        said = f"Not incognito{where}."
    others = [*(f"session {one}" for one in result.sessions), *result.folders]
    listed = f"\nIncognito on this machine: {', '.join(map(render.name, others))}" if others else ""
    return f"{said}{listed}{problems}"
