// The window of a session: what its messages cost, and shortened copies of them. The plan is Hearth's; texts stay here.

export const TRIM_OVER = 4_000;
const HEAD = 1_500;
const TAIL = 1_500;
const CLEARED = "[Old tool result content cleared]";
const REMOVED = "[Image removed: it was sent more than 3 turns ago]";
const IMAGE_TOKENS = 1_200;
const IMAGE_CHARS = 8_000;
const MESSAGE_TOKENS = 4;
const CHARS_PER_TOKEN = 4;
// Below this share of the window nothing is trimmed.
const TRIM_SHARE = 0.3;
const ROLES = { user: "user", assistant: "assistant", toolResult: "result", tool: "result", system: "system", compactionSummary: "summary" };
const WIDE = /[\u0E00-\u0E7F\u1100-\u11FF\u2E80-\u9FFF\uA960-\uA97F\uAC00-\uD7FF\uF900-\uFAFF]/g;
const BEYOND_ASCII = /[^\u0000-\u007F]/g;

export function tokensOf(text) {
  const wide = text.match(WIDE)?.length ?? 0;
  const beyond = text.match(BEYOND_ASCII)?.length ?? 0;
  return Math.ceil((text.length - beyond) / CHARS_PER_TOKEN + wide + (beyond - wide) / 2);
}

const blocksOf = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : []);

function textsOf(message) {
  const own = typeof message.summary === "string" ? [message.summary] : [];
  const blocks = blocksOf(message.content).map((block) => block?.text ?? block?.thinking);
  return [...own, ...blocks].filter((text) => typeof text === "string");
}

/** What a plan has to know of each message: sizes and calls, no text. */
export function skeletonOf(messages) {
  const taken = new Set();
  return messages.map((message, at) => {
    const blocks = blocksOf(message?.content);
    const calls = blocks.filter((block) => block?.type === "toolCall" && block.id);
    const images = blocks.filter((block) => block?.type === "image").length;
    const texts = textsOf(message ?? {});
    const spent = texts.reduce((sum, text) => sum + tokensOf(text), 0);
    const given = calls.reduce((sum, call) => sum + tokensOf(JSON.stringify(call.arguments ?? {})), 0);
    return {
      id: nameOf(message, at, taken),
      role: ROLES[message?.role] ?? "user",
      tokens: spent + given + images * IMAGE_TOKENS + MESSAGE_TOKENS,
      chars: texts.reduce((sum, text) => sum + text.length, 0),
      images,
      calls: calls.map((call) => call.id),
      answers: message?.toolCallId ? [message.toolCallId] : [],
      tools: message?.toolName ? [message.toolName] : calls.map((call) => call.name).filter(Boolean),
      ...(Number.isFinite(message?.timestamp) ? { at: Math.trunc(message.timestamp) } : {}),
    };
  });
}

/** The same from turn to turn, so that what was shortened stays shortened. */
function nameOf(message, at, taken) {
  const base = message?.toolCallId ?? `${message?.role}:${message?.timestamp ?? at}`;
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}~${number}`;
  taken.add(name);
  return name;
}

/** Whether a plan could change anything. */
export function needsPlan(skeleton, budget, window) {
  const tokens = skeleton.reduce((sum, one) => sum + one.tokens, 0);
  const chars = skeleton.reduce((sum, one) => sum + one.chars + one.images * IMAGE_CHARS, 0);
  return tokens > budget || chars > window * CHARS_PER_TOKEN * TRIM_SHARE || skeleton.some((one) => one.images);
}

/** The messages as planned: those that stay whole are the host's own objects. */
export function apply(messages, skeleton, actions) {
  const sent = [];
  for (const [at, message] of messages.entries()) {
    const action = actions[skeleton[at].id];
    if (action === "drop") continue;
    if (action === "trim") sent.push({ ...message, content: trimmed(message.content) });
    else if (action === "clear") sent.push({ ...message, content: [{ type: "text", text: CLEARED }] });
    else if (action === "unillustrate") sent.push({ ...message, content: withoutImages(message.content) });
    else sent.push(message);
  }
  return sent;
}

/** Several texts of a result are trimmed as the one text that the model reads. */
function trimmed(content) {
  const blocks = blocksOf(content);
  const isText = (block) => typeof block?.text === "string";
  const text = blocks.filter(isText).map((block) => block.text).join("\n");
  return [{ type: "text", text: trim(text) }, ...blocks.filter((block) => !isText(block))];
}

export function trim(text) {
  if (text.length <= TRIM_OVER) return text;
  const shown = (number) => number.toLocaleString("en-US");
  const note = `[Tool result trimmed: the first ${shown(HEAD)} and the last ${shown(TAIL)} of ${shown(text.length)} characters]`;
  return `${text.slice(0, HEAD)}\n...\n${text.slice(-TAIL)}\n\n${note}`;
}

function withoutImages(content) {
  return blocksOf(content).map((block) => (block?.type === "image" ? { type: "text", text: REMOVED } : block));
}

/** Messages for a summary, as JSON of at most `most` bytes: long texts shortened, then the oldest but the first left out. */
export function briefed(messages, most) {
  const brief = messages.filter(Boolean).map((one) => ({
    role: one.role,
    ...(one.toolCallId ? { toolCallId: one.toolCallId, toolName: one.toolName, isError: one.isError } : {}),
    ...(Number.isFinite(one.timestamp) ? { timestamp: one.timestamp } : {}),
    content: blocksOf(one.content).filter((block) => block?.type !== "image" && block?.type !== "thinking").map(shortened),
  }));
  const sizes = brief.map((one) => Buffer.byteLength(JSON.stringify(one)) + 1);
  let size = sizes.reduce((sum, one) => sum + one, 2);
  let left = 0;
  while (size > most && left + 1 < brief.length) {
    left += 1;
    size -= sizes[left];
  }
  return JSON.stringify([...brief.slice(0, 1), ...brief.slice(1 + left)]);
}

function shortened(block) {
  return typeof block?.text === "string" ? { ...block, text: trim(block.text) } : block;
}
