"""The block in which memory reaches a model: what stands inside can neither end it nor speak for anybody, and holds
nothing that no reader sees: control characters, invisible letters, direction marks, tags.

What scripts need stays: joiners inside Persian, Indic and emoji sequences, variation selectors of emoji, Mongolian
selectors, every combining mark. Of a run of such characters only the first can stay, so runs can carry nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import category, combining, is_normalized, normalize

from hearth.core.lazy import library, regex
from hearth.text.names import skeleton

__all__ = ["clean", "defuse", "entry", "fence", "line"]


# Unassigned planes are as good for smuggling as tags. Variation selectors of Han (U+E0100 on) go, too: each holds a
# byte, and without them the same character shows in its usual form.
_SUSPECT = regex(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001fffe\U0001ffff\U0002fffe\U0002ffff"
    "\U0003fffe-\U0010ffff]"
)
# Colours, cursor movements, titles and links of terminals, with what they hold.
_ESCAPE = regex(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f\n]*+(?:\x07|\x1b\\|\x9c)"
)
_ENDS_LINE = "\r\x85\u2028\u2029"
_ZWNJ, _ZWJ = "\u200c", "\u200d"
_JOINING = regex(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\u1a20-\u1c4f\ua800-\uaaff\uabc0-\uabff\ufb50-\ufdff"
    "\ufe70-\ufefc\U00010a00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_PICTURE = regex(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_SKINS = regex("[\U0001f3fb-\U0001f3ff]")
_VIRAMA = 9


def visible(text: str) -> str:
    """The text as its reader sees it, with ``\\n`` as the only line end.

    Private-use and unassigned characters become ``\\u{e000}``, lone surrogates U+FFFD: they show as boxes, so they
    aren't hidden, but what a model makes of them is not what a person sees.
    """
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    if _SUSPECT.search(text) is None:
        return text
    return _SUSPECT.sub(_show, _ESCAPE.sub("", text))


def _show(found: re.Match[str]) -> str:
    char = found[0]
    code = ord(char)
    if char in _ENDS_LINE:
        return "\n"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if category(char) == "Co" or (code >= 0x40000 and not 0xE0000 <= code <= 0xE0FFF and code & 0xFFFE != 0xFFFE):
        return f"\\u{{{code:x}}}"
    return char if _is_needed(char, found.string, found.start()) else ""


def _is_needed(char: str, text: str, at: int) -> bool:
    before, after = text[max(0, at - 1) : at], text[at + 1 : at + 2]
    if char == _ZWNJ:
        joins = _JOINING.match(before) or _JOINING.match(after)
        return _is_virama(before) or (joins is not None and _is_letter(before) and _is_letter(after))
    if char == _ZWJ:
        if _PICTURE.match(after):
            return _is_picture(before, text[max(0, at - 2) : at - 1])
        return _JOINING.match(before) is not None and _is_letter(before)
    if char in "\ufe0e\ufe0f":
        return _PICTURE.match(before) is not None or (before != "" and before in "0123456789#*" and after == "\u20e3")
    if "\u180b" <= char <= "\u180f":
        return "\u1820" <= before <= "\u18aa"
    return "\U00013430" <= char <= "\U0001343f" and "\U00013000" <= before < "\U00013430"


def _is_picture(before: str, earlier: str) -> bool:
    if before == "\ufe0f" or _SKINS.match(before):
        return _PICTURE.match(earlier) is not None
    return _PICTURE.match(before) is not None


def _is_letter(char: str) -> bool:
    return char != "" and category(char)[0] in "LMN"


def _is_virama(char: str) -> bool:
    return char != "" and combining(char) == _VIRAMA and _JOINING.match(char) is not None


html = library("html")

# What models are trained on, whatever the host.
_COMMON = """
system system-reminder system-prompt system-message system-instruction system-instructions system-context
system-note user user-message user-prompt user-instruction user-instructions user-query user-input
user-prompt-submit-hook human assistant developer invoke parameter thinking think reasoning bos eos instructions
permissions function functions function-call function-calls function-result function-results function-response
function-output tool tools tool-result tool-results tool-use tool-uses tool-call tool-calls tool-response
tool-responses tool-output tool-outputs start-of-turn end-of-turn begin-of-text end-of-text begin-of-sentence
end-of-sentence
"""
_CLAUDE_CODE = """
agent-message agents-done agents-error agents-skipped autonomous-loop autonomous-loop-dynamic bash-input bash-stderr
bash-stdout cc-automode cc-automode-permissions cc-automode-session-rules cc-memory channel-memory-listing
classifier-system-prompt claude-last-answer claude-md closing-notice command-args command-message command-name
coordinator-task cross-session-message cross-session-messages-rule current-skill-md earlier-message fork-boilerplate
guidance-loaded ide-opened-file ide-selection interrupted-output local-command-* mcp-resource mcp-server-note
memory-listing memory-listing-additions memory-updates new-diagnostics non-user-message not-shown other-sessions
other-user partial-response pasted-content persisted-output previous-conversation repl-output routine-summary
sandbox-violations settings-deny-rules skills-discovered slack-messages subagent-hand-back subagent-tokens
task-notification task-type teammate-message tool-use-error total-tokens truncated-output untrusted-uploads
user-allow-rules-to-replace user-claude-md user-memory-input webhook-payload
"""
_CODEX = """
agent-message-board-notification apps-instructions codex-delegation codex-internal-context collaboration-mode
command-sessions content-filter-guidance context-window context-window-guidance context-window-reminder current-time-iso
current-time-reminder current-time-unavailable cursor-commands environment-context environments-instructions
git-attribution guardian-context-omission guardian-sync-review guardian-tool-descriptions guardian-truncated heartbeat
image-resize-notice managed-developer-instructions mcp-tools model-instructions model-switch multi-agent-mode
multi-agent-role node-repl-review-evidence oai-mem-citation objective operating-style permission-profile
permissions-instructions persistent-mode personality-spec plugins-instructions proposed-plan realtime-conversation
realtime-delegation recommended-plugins resource-access rollout-budget send-user-message-question-reply
side-conversation skills-instructions startup-context subagent-notification token-budget transcript-delta turn-aborted
untrusted-objective user-action user-shell-command user-verification-notice workspace-roots
"""
_GEMINI_CLI = """
activated-skill active-constraints artifact-trail available-resources available-skills available-subagents
available-tools background-output extension-context file-content file-system-state global-context hook-context
intent-summary key-knowledge loaded-context original-user-request overall-goal project-context recent-actions
session-context state-snapshot target-issue task-state tool-output-masked untrusted-context user-project-memory
"""
_OPENCLAW = """
active-memory-plugin begin-openclaw-internal-context begin-untrusted-child-result end-external-untrusted-content
end-openclaw-internal-context end-untrusted-child-result external-untrusted-content shared-session-history
workboard-inline-text
"""
_CURSOR = """
additional_data agent_notes agent-requestable-workspace-rule agent-requestable-workspace-rules agent_skill agent_skills
agent-transcripts always-applied-workspace-rule always-applied-workspace-rules attached_file attached_files
attached_folders citing-code code_selection cursor-rules cursor-rules-context currently-open-file edit_history
external_links git_status inline-line-numbers linter_errors making-code-changes manually-added-selection
manually-attached-skills maximize-context-understanding maximize-parallel-tool-calls mcp-file-system
mcp-file-system-server mcp-file-system-servers mcp-instructions mode_selection open-and-recently-viewed-files open_files
project_layout project_instructions recently_viewed_files search-and-reading selected_code system-communication
task_management terminal-files-information tool_calling user_info user_rule user_rules workspace_rules
"""
_WINDSURF = """
additional_metadata browser_preview calling-external-apis communication_style conversation_summaries ephemeral_message
mandatory-instruction mandatory-instructions memory_system persistent-context running_commands user_information
user_request user_settings user-settings-change workspace_information
"""
_OPENCODE = """
bash_metadata shell_metadata skill_content skill_files task_metadata task_result
"""
# Their names alone are of other languages, too: ``<channel>`` opens a feed.
ATTRIBUTED = (("channel", "source"), ("skill", "name"))
# An ordinary word, unless this element comes first in it.
FOLLOWED = (("skill", "name"),)
NAMES = tuple(
    sorted({*(_COMMON + _CLAUDE_CODE + _CODEX + _GEMINI_CLI + _OPENCLAW + _CURSOR + _WINDSURF + _OPENCODE).split()})
)


_INERT = {"<": "‹", ">": "›", "[": "⁅", "]": "⁆", ":": "∶"}
_OPEN = r"<[\s/\\]*+"
_VAULT = r"v\s*+a\s*+u\s*+l\s*+t"
_GAP = r"[-_\s.]?"


def _alternatives(names: Iterable[str]) -> str:
    """Grouped by their first letters, for speed; the longest first, because the first that matches is taken."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names, key=len, reverse=True):
        groups.setdefault(name[:2], []).append(name[2:].replace("-", _GAP).replace("*", "[a-z]{2,10}"))
    return "|".join(f"{start}(?:{'|'.join(rest)})" for start, rest in groups.items())


_NAMES = _alternatives(NAMES)
_ATTRIBUTED = "|".join(rf"{name}\s++{attribute}\s*+=" for name, attribute in ATTRIBUTED)
_FOLLOWED = "|".join(rf"{name}\s*+>\s*+<\s*+{first}\b" for name, first in FOLLOWED)
# All run over a skeleton of the text. Each begins at a character that its repetitions don't hold: linear.
_BRACKETS = regex(
    rf"{_OPEN}{_VAULT}\s*+[-_]|<\s*+[/\\][\s/\\]*+{_VAULT}"
    rf"|{_OPEN}antml\b"
    rf"|{_OPEN}(?:{_ATTRIBUTED}|{_FOLLOWED})"
    rf"|{_OPEN}(?:[a-z]\w{{1,15}}+:)?(?P<name>{_NAMES})(?=\s*+/?\s*+>|\s++[\w:.-]{{1,40}}+\s*+=)"
    r"|<\s*+\|\s*+/?[\w.:▁-]{1,40}+\s*+(?:\|\s*+)?>"
    r"|<\s*+<\s*+/?\s*+sys\s*+>\s*+>"
)
_SQUARE = regex(
    r"\[\s*+/?\s*+(?:inst|system[ _]prompt|available[ _]tools|tool[ _](?:calls|results|content)"
    rf"|{_VAULT}\s*+[-_]\s*+[a-z]{{1,32}}+\s++(?:begins|ends))\s*+\]"
)
_ROLE = regex(
    r"^(?:[^\S\n]|[>#*_+|~.\d()\[\]\"'-])*+(?P<role>human|assistant|user|system|developer|(?<=[# ])(?<=#.)"
    r"(?:instruction|response))(?:[^\S\n]|[*_\])\"'])*+(?P<colon>:)",
    re.MULTILINE,
)
# In small letters these are keys of settings, which a wrong colon would break.
_KEYS = frozenset(("user", "system", "developer"))
_REST = regex(r"[^<>\n]{0,300}+>")
_END = regex(r"<\s*+[/\\]\s*+(\w++)")
_TYPE = regex(r"\w<[A-Z][a-z]\w*[>,\s]")
_ENTITY = regex(r"&(?=[#\w])")
_ZEROS = regex(r"&#([xX]?)0+(?=[0-9a-fA-F])")
# No character has so great a number, and Python refuses to read enormous ones.
_ENORMOUS = regex(r"&(?=#[0-9]{9})")
_PASSES = 8


def inert(text: str) -> str:
    """``text``, which holds no invisible characters, without delimiters; nothing else of it changes.

    Where a delimiter hides in entities or compatibility characters, its line is decoded (or the text, if it spans
    lines), so that it reads as a browser would show it.
    """
    text = _escape(text)
    if not _is_disguised(text):
        return text
    mended = "\n".join(_escape(fold(line)) if _is_disguised(line) else line for line in text.split("\n"))
    return _escape(fold(text)) if _is_disguised(mended) else mended


def fold(text: str) -> str:
    """Decoded as often as it takes: entities, compatibility characters, invisible ones.

    Entities wrapped in each other more than eight times are taken apart instead.
    """
    settled, text = _fold(text)
    return text if settled else _ENTITY.sub("& ", text)


def _fold(text: str) -> tuple[bool, str]:
    for _ in range(_PASSES):
        before, text = text, visible(normalize("NFKC", _decode(text)))
        if text == before:
            return True, text
    return False, text


def delimiters(text: str) -> int:
    """How many characters of ``text`` make something a delimiter, undisguised or as lookalikes."""
    return sum(1 for _ in _find(text, skeleton(text)))


def _is_disguised(text: str) -> bool:
    if "&" not in text and is_normalized("NFKC", text):
        return False
    settled, folded = _fold(text)
    return not settled or next(_find(folded, skeleton(folded)), None) is not None


def _decode(text: str) -> str:
    if "&" not in text:
        return text
    return str(html.unescape(_ENORMOUS.sub("& ", _ZEROS.sub(r"&#\1", text))))


def _escape(text: str) -> str:
    shadow = skeleton(text)
    places = list(_find(text, shadow))
    if not places:
        return text
    chars = list(text)
    for at in places:
        chars[at] = _INERT[shadow[at]]
    return "".join(chars)


def _find(text: str, shadow: str) -> Iterator[int]:
    """Where brackets and colons are to be replaced; ``shadow`` is the skeleton of ``text``."""
    if "<" in shadow:
        closed = frozenset(found[1] for found in _END.finditer(shadow))
        for found in _BRACKETS.finditer(shadow):
            if found["name"] is None or found["name"] in closed or not _is_type(text, found.start()):
                yield from _brackets(shadow, *found.span())
                if rest := _REST.match(shadow, found.end()):
                    yield rest.end() - 1
    if "[" in shadow:
        for found in _SQUARE.finditer(shadow):
            # A list of code that holds one name; no model knows the token in small letters.
            if text[slice(*found.span())] != "[inst]":
                yield from (found.start(), found.end() - 1)
    for found in _ROLE.finditer(shadow):
        if text[slice(*found.span("role"))] not in _KEYS:
            yield found.start("colon")


def _brackets(shadow: str, start: int, end: int) -> Iterator[int]:
    return (at for at in range(start, end) if shadow[at] in "<>")


def _is_type(text: str, start: int) -> bool:
    """``Optional<User>``: a type in code, as long as no end tag has that name."""
    return start > 0 and _TYPE.match(text, start - 1) is not None


_IMAGE = regex(r"(?<!\w)!\[")
_TARGET = regex(r"\](?=[(\[])")
_DEFINITION = regex(r"^((?:[^\S\n]|[>*+-])*+\[[^\]\n]{1,300}+\]):", re.MULTILINE)
_LIVE = regex(
    r"<(?=[\s/]{0,8}(?:img|image|i?frame|frameset|link|script|noscript|object|embed|applet|video|audio|source|track|svg|use"
    r"|math|meta|base|form|input|button|textarea|style|picture|portal|a|area|template|bgsound|xml|import)(?![\w-]))",
    re.IGNORECASE,
)
_OPENING = regex(r"<(?=[a-z!/?])", re.IGNORECASE)
# With whatever opens inside: attributes may hold brackets.
_TAG = regex(r"<[^>]*+")
_FETCHES = regex(
    r"""[\s"'/](?:src|srcset|srcdoc|href|xlink:href|action|formaction|poster|background|data|cite|ping|manifest|style"""
    r"""|on[a-z]{3,20})\s{0,8}=""",
    re.IGNORECASE,
)
_AUTOLINK = regex(r"<(?=[a-z][a-z0-9+.-]{1,30}:\S)", re.IGNORECASE)
_ADDRESS = regex(r"(?:http|ftp|ws)s?[^\S\n]?:[^\s<>\"'`|]*+", re.IGNORECASE)
_CARRIES = regex(r"[?=@{}$&]")
_SCHEME = regex(r"(?:http(?=s?[^\S\n]?:)|(?<=ftp):|(?<=ftps):|(?<=ws):|(?<=wss):)", re.IGNORECASE)
_SCRIPT = regex(r"\b(java\s?script|vb\s?script|livescript|blob|filesystem)\s{0,3}:(?=\S)", re.IGNORECASE)
_DATA = regex(r"\bdata:(?=[\w/+.=;-]{0,100}+,)", re.IGNORECASE)
_BASE64 = regex(r"(?<=;base64,)[\w+/=%-]{80,}+", re.IGNORECASE)


def defuse(text: str) -> str:
    """Still readable: ``![a](https://h/?q=1)`` becomes ``(image) [a] (hxxps://h/?q=1)``.

    Addresses that can carry data (a query, a user, a place to fill in) are written ``hxxps``, others stay; tags that
    fetch or run get brackets that aren't; base64 in ``data:`` addresses is left out.
    """
    text = _IMAGE.sub("(image) [", text)
    text = _TARGET.sub("] ", text)
    text = _DEFINITION.sub(r"\1 :", text)
    if "<" in text:
        text = _TAG.sub(lambda found: _OPENING.sub("‹", found[0]) if _FETCHES.search(found[0]) else found[0], text)
        text = _AUTOLINK.sub("‹", _LIVE.sub("‹", text))
    text = _SCRIPT.sub(r"\1∶", text)
    text = _BASE64.sub(lambda found: f"({len(found[0])} characters)", _DATA.sub("data∶", text))
    return _ADDRESS.sub(_defang, text)


def _defang(found: re.Match[str]) -> str:
    if _CARRIES.search(found[0]) is None:
        return found[0]
    return _SCHEME.sub(lambda scheme: "∶" if scheme[0] == ":" else "hxxp", found[0])


TRUSTED = "human"
"""Only what people wrote keeps live links. An agent's memories may repeat what a tool or a page told it."""
_FENCE_TAG = regex(r"vault-[a-z]{1,32}")


def clean(text: str) -> str:
    """What of a text may be shown to a model: nothing invisible, nothing that acts as a delimiter."""
    return inert(visible(text))


def line(text: str) -> str:
    """The same on one line, for titles, paths and other values between ``|``."""
    joined = " ".join(visible(text).split())
    return inert(joined).replace("|", "¦").replace("｜", "¦")


def entry(values: Iterable[str], text: str = "", *, trust: str) -> list[str]:
    """The lines of one item: ``values`` (title first) as a heading, then the text. ``trust`` as in a document.

    Empty values are left out. Nobody's trust is raised here: any but ``human`` loses live images and links.
    """
    shown, body = [line(value) for value in values], clean(text)
    if trust != TRUSTED:
        shown, body = [line(defuse(value)) for value in shown], clean(defuse(body))
    lines = ["- " + " | ".join(filter(None, shown))]
    if body.strip():
        lines += [f"> {row}".rstrip() for row in body.strip("\n").split("\n")]
    return lines


def fence(tag: str, instruction: str, lines: Sequence[str]) -> str:
    """The whole block, without a line end after it. ``ValueError`` for a tag that isn't ours.

    All of it is cleaned again here, so that a line that nobody cleaned does no harm either.
    """
    if _FENCE_TAG.fullmatch(tag) is None:
        raise ValueError(f"{tag!r} is not a valid tag: it must be vault-… in lower case")
    inside = "\n".join((line(instruction), *lines))
    return f"<{tag}>\n{clean(inside)}\n</{tag}>"
