// Whose session it is, what is new in it, and what was said in a turn. Pure but for the state of sessions.

export const MAX_TEXT = 200_000;
const MAX_TURN_CHARS = 700_000;
const MAX_SESSIONS = 500;
const SHARED = new Set(["group", "supergroup", "channel", "room", "thread"]);
const UNATTENDED = new Set(["cron", "hook", "subagent", "heartbeat", "acp"]);
const BLOCKS = /<(vault-[a-z]{1,32})(?:\s[^<>]*)?>[\s\S]*?<\/\1>\s*/g;

/** The part of a session's key behind its agent: `main`, `telegram:group:-100`. */
export function placeOf(sessionKey = "") {
  const parts = String(sessionKey).split(":");
  return parts[0] === "agent" ? parts.slice(2) : parts;
}

/** Whether the settings say that only the owner takes part. */
export function isOwned(ctx, config = {}) {
  return config.private?.includes(ctx?.sessionKey) === true;
}

/** Whether only the owner takes part: the agent's main session, a named local one, or one that the settings name. */
export function isPrivate(ctx, config = {}) {
  if (!ctx?.sessionKey || isUnattended(ctx)) return false;
  if (isOwned(ctx, config)) return true;
  if (ctx.senderIsOwner === false) return false;
  const place = placeOf(ctx.sessionKey).map((part) => part.toLowerCase());
  return place.length === 1 && place[0] !== "" && !SHARED.has(place[0]);
}

/** Sessions without a person: they may read, and nothing of them is kept. */
export function isUnattended(ctx) {
  return placeOf(ctx?.sessionKey).some((part) => UNATTENDED.has(part.toLowerCase()));
}

export function isSubagent(sessionKey) {
  return placeOf(sessionKey).some((part) => part.toLowerCase() === "subagent");
}

/** The host's agents, in either form of its settings. */
export function agentsOf(config) {
  const { entries, list } = config?.agents ?? {};
  if (entries && typeof entries === "object") return Object.entries(entries).map(([id, one]) => ({ ...one, id }));
  return Array.isArray(list) ? list.filter((one) => typeof one?.id === "string") : [];
}

export function defaultAgent(config) {
  const agents = agentsOf(config);
  const found = agents.find((one) => one.default) ?? agents.find((one) => one.id === "main") ?? agents[0];
  return found?.id ?? "main";
}

/** The vault of an agent: a name, "" for the default one, `null` for no memory. The id is the host's. */
export function vaultOf(agentId, config = {}, main = "main") {
  const id = agentId || main;
  const own = config.agents?.[id];
  if (own?.memory === false) return null;
  if (own?.vault) return own.vault;
  return own || id === main ? (config.vault ?? "") : null;
}

/** How the names of an agent's sessions begin in a vault that it shares: they say what of it is its own. */
export function prefixOf(agentId, config = {}, main = "main") {
  const id = agentId || main;
  return id === main || config.agents?.[id]?.vault ? "" : `agent:${id.toLowerCase()}:`;
}

export function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.filter((part) => part?.type === "text" && typeof part.text === "string");
  return texts.map((part) => part.text).join("\n\n");
}

/** Head and tail of a long text, with a note of how much was left out. */
export function shortened(text, most = MAX_TEXT) {
  if (text.length <= most) return text;
  const head = Math.floor(most * 0.7);
  const tail = most - head - 100;
  return `${text.slice(0, head)}\n[… ${text.length - head - tail} characters left out …]\n${text.slice(-tail)}`;
}

export function isSilent(text) {
  return /^\s*[`*_"']{0,3}NO_REPLY(?![A-Za-z0-9_])/i.test(text);
}

/** A message of a person or an answer to one, without what the host and Hearth added. Where the host names another
 * sender, it is somebody else's, unless only `owned` words are said in the session. */
function said(message, owned) {
  const role = message?.role;
  if (role !== "user" && role !== "assistant") return null;
  if (role === "user" && !owned && message.__openclaw?.senderIsOwner === false) return null;
  if (role === "assistant" && message.model === "delivery-mirror") return null;
  const kind = message.provenance?.kind ?? message.__openclaw?.provenance?.kind;
  if (kind && kind !== "external_user") return null;
  const text = textOf(message.content).replace(BLOCKS, "").trim();
  if (!text || (role === "user" && /^\/[a-z]/i.test(text)) || (role === "assistant" && isSilent(text))) return null;
  const at = Number.isFinite(message.timestamp) ? Math.trunc(message.timestamp) : undefined;
  return { role, text: shortened(text), ...(at ? { at } : {}) };
}

/** What is new in a context: messages after the moment `since`, else the last turn. */
export function newTurns(messages, since, owned = false) {
  const list = Array.isArray(messages) ? messages : [];
  let start = since === undefined ? list.findLastIndex((one) => one?.role === "user") : 0;
  if (start < 0) return [];
  const later = (one) => since === undefined || (Number.isFinite(one?.timestamp) && one.timestamp > since);
  const found = list.slice(start).filter(later).map((one) => said(one, owned)).filter(Boolean);
  let size = found.reduce((sum, one) => sum + one.text.length, 0);
  for (const one of [...found].sort((a, b) => b.text.length - a.text.length)) {
    if (size <= MAX_TURN_CHARS) break;
    const short = shortened(one.text, Math.max(2_000, one.text.length - (size - MAX_TURN_CHARS)));
    size -= one.text.length - short.length;
    one.text = short;
  }
  return found;
}

const momentsOf = (messages) => (messages ?? []).map((one) => one?.timestamp).filter(Number.isFinite);

export function firstMoment(messages) {
  return momentsOf(messages).reduce((one, other) => Math.min(one, other), Infinity);
}

export function lastMoment(messages) {
  return latest(...momentsOf(messages));
}

/** The latest of these moments; unknown ones are undefined. */
export function latest(...moments) {
  return moments.reduce((one, other) => (one === undefined || other > one ? other : one), undefined);
}

/** What this process knows of each session; the one not used for longest is forgotten first, but not if turns of it wait. */
export class Sessions {
  #known = new Map();

  /** `prefix` says whose session it is, where agents share a vault. */
  of(ctx, prefix = "") {
    const id = ctx.sessionId || ctx.sessionKey;
    const found = this.#known.get(id) ?? {
      ...{ id, prefix, name: `${prefix}${id}`, isAnew: false, briefed: false, compacted: false, since: undefined, pruned: {} },
      ...{ waiting: [], sending: null, held: null, told: null },
    };
    // The last used stands last.
    this.#known.delete(id);
    this.#known.set(id, found);
    if (this.#known.size > MAX_SESSIONS) this.#forgetOne();
    return found;
  }

  #forgetOne() {
    const idle = (one) => !one.waiting.length && !one.held && !one.sending;
    const found = [...this.#known.values()].slice(0, -1).find(idle) ?? this.#known.values().next().value;
    this.#known.delete(found.id);
  }

  /** The host keeps the id of a session that begins anew; here it gets a new name. */
  beginAnew(session, now = Date.now()) {
    Object.assign(session, { name: `${session.prefix}${session.id}.${now.toString(36)}`, isAnew: true, briefed: false, compacted: false, pruned: {}, told: null });
  }
}
