"""What of a session fits into a budget."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hearth.config.tree import PruningSettings
from hearth.context.engine.messages import Message, Outline, Role, measure, trim, with_results, without_images
from hearth.context.engine.plan import Part, Skeleton, factor_of, plan, reserve_of
from hearth.context.engine.pruning import CLEARED, PLACE_CHARS, Action

DEFAULTS = PruningSettings()
OFF = PruningSettings(mode="off")


def user(name: str, tokens: int = 10) -> Message:
    return Message(name, Role.USER, tokens, tokens * 4)


def reply(name: str, *calls: str, tokens: int = 10) -> Message:
    return Message(name, Role.ASSISTANT, tokens, tokens * 4, calls=calls)


def result(name: str, call: str, chars: int = 40, tool: str = "read", images: int = 0) -> Message:
    return Message(name, Role.RESULT, chars // 4 + images * 1_200, chars, images, answers=(call,), tools=(tool,))


def session(chars: int, count: int = 10) -> tuple[Message, ...]:
    """A prompt, ``count`` results of so many characters, each asked for by a reply, and three replies."""
    pairs = [one for at in range(count) for one in (reply(f"a{at}", f"c{at}"), result(f"r{at}", f"c{at}", chars))]
    return (user("u"), *pairs, reply("x"), reply("y"), reply("z"))


def prune(messages: tuple[Message, ...], window: int, settings: PruningSettings) -> dict[str, Action]:
    """What a plan prunes where the provider's cache has run out and there is room for everything."""
    return dict(plan(Skeleton(messages, window=window, now=10**9, last_call=0), 10**9, settings).actions)


def kept(messages: tuple[Message, ...], actions: object) -> list[str]:
    assert isinstance(actions, dict)
    return [one.id for one in messages if actions.get(one.id) is not Action.DROP]


def test_everything_is_kept_where_there_is_room() -> None:
    found = plan(Skeleton(session(400)), 10_000, DEFAULTS)
    assert (dict(found.actions), found.overflow) == ({}, 0)


def test_a_call_and_its_results_are_one_unit() -> None:
    messages = [user("u"), reply("a", "c", "d"), result("r", "c"), result("s", "d"), reply("z")]
    assert Outline(messages).units == [[0], [1, 2, 3], [4]]


def test_results_are_trimmed_from_three_tenths_of_the_window() -> None:
    window = 200_000
    below = session(23_900)
    assert prune(below, window, DEFAULTS) == {}
    actions = prune(session(24_100), window, DEFAULTS)
    assert set(actions.values()) == {Action.TRIM}
    assert len(actions) == 10, "every result before the third-last reply"


def test_results_are_cleared_from_half_of_the_window_until_it_is_less() -> None:
    # Of 200 results 4,000 characters each none can be trimmed, and together they fill the whole window.
    actions = prune(session(4_000, 200), 200_000, DEFAULTS)
    assert set(actions.values()) == {Action.CLEAR}
    assert [f"r{at}" for at in range(len(actions))] == list(actions), "the oldest first"
    cleared = len(CLEARED) + PLACE_CHARS
    left = sum(one.chars for one in session(0, 200))
    left += sum(cleared if f"r{at}" in actions else 4_000 for at in range(200))
    assert left < 400_000 <= left + 2 * 4_000


def test_little_is_not_cleared() -> None:
    big = Message("big", Role.ASSISTANT, 150_000, 600_000)
    messages = (user("u"), reply("a", "c"), result("r", "c", 3_000), big, reply("x"), reply("y"), reply("z"))
    assert prune(messages, 200_000, DEFAULTS) == {}


def test_the_last_three_replies_and_what_comes_after_them_are_not_pruned() -> None:
    messages = (user("u"), reply("a", "c"), result("r", "c", 900_000), reply("b"), reply("z"))
    assert prune(messages, 200_000, DEFAULTS) == {}
    assert prune(messages[:3], 200_000, DEFAULTS) == {}, "fewer than three replies"


def test_tools_are_chosen_by_name() -> None:
    messages = session(90_000)
    assert prune(messages, 200_000, PruningSettings(deny=("R*",))) == {}
    assert prune(messages, 200_000, PruningSettings(allow=("exec*",))) == {}
    assert prune(messages, 200_000, PruningSettings(allow=("re?d",))) != {}
    assert prune(messages, 200_000, PruningSettings(allow=("read",), deny=("read",))) == {}


def test_a_trimmed_result_says_what_is_left() -> None:
    text = trim("a" * 5_000 + "z" * 5_000)
    assert text.startswith("a" * 1_500 + "\n...\n" + "z" * 1_500)
    assert "10,000 characters" in text
    assert trim("a" * 4_000) == "a" * 4_000


def test_pruning_waits_for_the_cache_to_run_out() -> None:
    messages = session(90_000)
    warm = Skeleton(messages, now=1_000_000, last_call=800_000)
    cold = Skeleton(messages, now=1_000_000, last_call=699_999)
    assert dict(plan(warm, 10**6, DEFAULTS).actions) == {}
    assert Action.TRIM in plan(cold, 10**6, DEFAULTS).actions.values()
    assert dict(plan(cold, 10**6, OFF).actions) == {}


def test_what_was_pruned_stays_pruned() -> None:
    former = {"r0": Action.TRIM, "gone": Action.CLEAR}
    assert dict(plan(Skeleton(session(5_000), former=former), 10**6, DEFAULTS).actions) == {"r0": Action.TRIM}


def test_recall_gives_way_first_then_old_units_then_day_notes_then_files() -> None:
    skeleton = Skeleton(
        (user("u1", 100), reply("a1", tokens=100), user("u2", 100), reply("a2", tokens=100)),
        prompt=50, files=(Part("AGENTS.md", 200, 60),), notes=(Part("today", 80),), recall=70,
    )  # fmt: skip
    whole = plan(skeleton, 800, OFF)
    assert (whole.tokens, whole.parts["recall"]) == (800, 70)
    assert plan(skeleton, 760, OFF).parts["recall"] == 30
    fewer = plan(skeleton, 600, OFF)
    assert (fewer.parts["recall"], kept(skeleton.messages, fewer.actions)) == (0, ["u2", "a2"])
    assert plan(skeleton, 500, OFF).parts == {"AGENTS.md": 200, "today": 50, "summary": 0, "recall": 0}
    least = plan(skeleton, 350, OFF)
    assert (least.parts["AGENTS.md"], least.parts["today"], least.overflow) == (100, 0, 0)
    assert plan(skeleton, 100, OFF).overflow == 210, "the prompt, the last unit and its prompt, and the file's least"


def test_half_of_a_pair_is_not_sent() -> None:
    messages = (user("u"), reply("a", "c"), user("v"), result("orphan", "gone"), reply("z"))
    assert kept(messages, plan(Skeleton(messages), 10**6, OFF).actions) == ["u", "v", "z"]


def test_a_call_under_way_is_sent() -> None:
    messages = (user("u"), reply("a", "c"))
    assert kept(messages, plan(Skeleton(messages), 10**6, OFF).actions) == ["u", "a"]


def test_old_attachments_become_marks() -> None:
    pictured = Message("p", Role.USER, 1_214, 40, images=1)
    messages = (pictured, *(user(f"u{at}") for at in range(4)))
    assert dict(plan(Skeleton(messages), 10**6, OFF).actions) == {"p": Action.UNILLUSTRATE}
    assert dict(plan(Skeleton(messages[:4]), 10**6, OFF).actions) == {}


def test_the_provider_s_count_corrects_ours_within_bounds() -> None:
    assert factor_of([]) == 1
    assert factor_of([(1_500, 1_000)]) == 1.5
    assert factor_of([(10_000, 1_000)]) == 2, "misreported tenfold"
    assert factor_of([(1, 1_000)]) == 0.8
    assert factor_of([(1_900, 1_000)] * 9 + [(1_000, 1_000)] * 3) == 1, "the last five calls"


def test_a_quarter_of_a_small_window_is_reserved() -> None:
    assert [reserve_of(window) for window in (200_000, 32_768, 4_000)] == [20_000, 8_192, 1_000]


@st.composite
def _sessions(draw: st.DrawFn) -> tuple[Message, ...]:
    found: list[Message] = []
    for at in range(draw(st.integers(0, 30))):
        size = draw(st.integers(0, 60_000))
        match draw(st.sampled_from(["user", "reply", "call"])):
            case "user":
                found.append(user(f"u{at}", size))
            case "reply":
                found.append(reply(f"a{at}", tokens=size))
            case _:
                calls = [f"c{at}.{one}" for one in range(draw(st.integers(1, 3)))]
                found.append(reply(f"a{at}", *calls))
                found += [result(f"r{call}", call, size, images=draw(st.integers(0, 1))) for call in calls]
    return tuple(found)


@settings(deadline=None)
@given(_sessions(), st.integers(100, 1_000_000), st.integers(0, 4_000), st.floats(0.8, 2))
def test_a_plan_never_exceeds_the_budget_nor_halves_a_unit(
    messages: tuple[Message, ...], budget: int, prompt: int, factor: float
) -> None:
    skeleton = Skeleton(messages, prompt, (Part("f", 900, 300),), (Part("n", 200),), 100, 500, factor=factor)
    found = plan(skeleton, budget, DEFAULTS)
    assert found.tokens <= budget or found.overflow == found.tokens - budget
    sent = kept(messages, found.actions)
    for unit in Outline(messages).units:
        names = [messages[at].id for at in unit]
        assert set(names) <= set(sent) or not set(names) & set(sent)
    if messages:
        assert messages[-1].id in sent
    assert plan(skeleton, budget, DEFAULTS) == found


def test_three_forms_of_one_exchange_measure_the_same() -> None:
    openclaw = [
        {"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "read", "arguments": {"path": "a"}}]},
        {"role": "toolResult", "toolCallId": "c", "toolName": "read", "content": [{"type": "text", "text": "x" * 400}]},
    ]
    function = {"name": "read", "arguments": '{"path": "a"}'}
    openai = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c", "name": "read", "content": "x" * 400},
    ]
    anthropic = [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "read", "input": {"path": "a"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "x" * 400}]},
    ]
    forms = [[measure(one, str(at)) for at, one in enumerate(form)] for form in (openclaw, openai, anthropic)]
    assert [[(one.role, one.tokens, one.calls, one.answers) for one in form] for form in forms] == 3 * [
        [(Role.ASSISTANT, 8, ("c",), ()), (Role.RESULT, 104, (), ("c",))]
    ]
    for form in (openclaw, openai, anthropic):
        cleared = with_results(form[1], lambda _: CLEARED)
        assert measure(cleared, "1").chars == len(CLEARED)
        assert measure(form[1], "1").chars == 400, "the host's message stays as it is"


def test_an_attachment_leaves_a_mark() -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image", "data": "…"}]}
    assert measure(message, "m").images == 1
    bare = without_images(message)
    assert measure(bare, "m").images == 0
    assert bare["content"][0] == {"type": "text", "text": "look"}


def test_several_texts_of_a_result_are_trimmed_as_one() -> None:
    blocks = [{"type": "text", "text": "a" * 3_000}, {"type": "text", "text": "b" * 3_000}]
    message = {"role": "toolResult", "toolCallId": "c", "content": blocks}
    short = with_results(message, trim)
    assert measure(short, "m").chars < 3_200
