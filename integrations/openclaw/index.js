// Hearth as the memory of OpenClaw. Hearth decides what to remember and recall; this code only passes it on.

import path from "node:path";

import { Daemon, QuietLog, within } from "./daemon.js";
import { compactionProvider, ENGINE, engineFor, planFor } from "./engine.js";
import { classifyPaths, flushPlan, promptSection, recordedProvenance, searchManager } from "./memory.js";
import { agentsOf, defaultAgent, isOwned, isPrivate, isSubagent, isUnattended, firstMoment, lastMoment, latest, newTurns, prefixOf, Sessions, vaultOf } from "./sessions.js";
import { TOOLS, TOOL_MS } from "./tools.js";
import { WaitingTurns } from "./waiting.js";

const PROMPT_MS = 1_000;
const TURN_MS = 5_000;
const MOST_WAITING = 100;
const MAX_NOTED = 1_000;
const MAX_HOPS = 16;
const ALONE = { memory_search: "hearth_search", memory_get: "hearth_get" };
const PROBE = "hearth-doctor";
const RESETS = new Set(["new", "reset", "idle", "daily"]);

// The host registers the plugin several times in one process, from copies of this module, too: they share what they know.
const shared = (globalThis[Symbol.for("hearth.openclaw")] ??= new Map());

export class Hearth {
  /** `folder` is where turns wait for a daemon that does not answer. */
  constructor(config, write, folder) {
    this.config = config;
    this.waiting = new WaitingTurns(folder);
    this.log = new QuietLog(write);
    this.daemon = new Daemon(config);
    this.sessions = new Sessions();
    this.parents = new Map();
    this.senders = new Map();
    this.main = "main";
    this.promptMs = PROMPT_MS;
  }

  vault(agentId) {
    return vaultOf(agentId, this.config, this.main);
  }

  /** The name of an agent in the vault that it asks: the default one, and one with a vault of its own, is `main` there. */
  #agent(agentId) {
    return prefixOf(agentId, this.config, this.main).split(":")[1] ?? "main";
  }

  session(ctx) {
    return this.sessions.of(ctx, prefixOf(ctx.agentId, this.config, this.main));
  }

  /** Starts the daemon and has it open the vault, so that the first prompt does not wait for either; then hands over
   * what an earlier process could not. */
  async warm() {
    try {
      await this.daemon.address();
      const vault = this.vault(this.main);
      // Hearth records nothing of this session.
      const probe = { session_id: PROBE, prompt: "What did we decide last time?", private: true, trigger: "user" };
      if (vault !== null) await this.daemon.hook("context-surfacing", probe, { deadlineMs: TURN_MS, vault });
    } catch (error) {
      this.#passOver(error);
    }
    await this.takeUp();
  }

  async takeUp() {
    for (const { id, prefix, name, since, waiting } of await this.waiting.left()) {
      const session = this.sessions.of({ sessionId: id }, prefix);
      session.name = name ?? session.name;
      session.since ??= since;
      session.waiting.unshift(...waiting);
      await this.deliver(session);
    }
  }

  #payload(session, ctx, more) {
    return {
      session_id: session.name,
      session_key: ctx.sessionKey,
      cwd: ctx.cwd ?? ctx.workspaceDir,
      turn_id: ctx.runId,
      private: isPrivate(ctx, this.config),
      trigger: ctx.trigger,
      ...more,
    };
  }

  async #hook(name, session, ctx, more, deadlineMs) {
    const vault = this.vault(ctx.agentId);
    if (vault === null) return "";
    return this.daemon.hook(name, this.#payload(session, ctx, more), { deadlineMs, vault, cwd: ctx.workspaceDir ?? "" });
  }

  /** What memory adds to a person's prompt. The flush, heartbeats and scheduled runs come here, too, and get nothing. */
  async recall(event, ctx) {
    if (ctx.trigger !== "user" || !isPrivate(ctx, this.config) || this.vault(ctx.agentId) === null) return undefined;
    const prompt = (event.currentUserMessage ?? event.prompt ?? "").trim();
    if (!prompt) return undefined;
    const session = this.session(ctx);
    if (session.told?.run === ctx.runId && ctx.runId) return session.told.result;
    const begins = !event.messages?.length;
    const asked = [];
    if (this.config.bootstrap !== false && begins && !session.briefed) {
      asked.push(["session-bootstrap", { source: session.isAnew ? "clear" : "startup" }, { briefed: true }]);
    }
    if (session.compacted) asked.push(["postcompact-inject", { source: "compact" }, { compacted: false }]);
    if (this.config.recall !== false) asked.push(["context-surfacing", { prompt }]);
    // One after the other, so that the first prompt does not repeat what the briefing said.
    const until = Date.now() + this.promptMs;
    const answers = [];
    for (const [name, more, done] of asked) {
      const left = until - Date.now();
      try {
        answers.push(await within(this.#hook(name, session, ctx, more, left), left, "no answer within a second"));
        // What did not arrive is asked for again with the next prompt.
        Object.assign(session, done);
      } catch (error) {
        this.#passOver(error);
      }
    }
    const found = answers.filter(Boolean).join("\n\n");
    const result = found ? { prependContext: `${found}\n` } : undefined;
    session.told = { run: ctx.runId, result };
    return result;
  }

  /** A subagent's session is named without the one that started it, which the host tells apart. */
  spawned(event, ctx) {
    const child = event?.childSessionKey ?? ctx?.childSessionKey;
    if (!child || !ctx?.requesterSessionKey) return;
    note(this.parents, child, ctx.requesterSessionKey);
  }

  /** The session that a subagent works for; `undefined` where the host did not say. */
  #findRequester(ctx) {
    let key = ctx.sessionKey;
    for (let hops = 0; isSubagent(key) && hops < MAX_HOPS; hops++) key = this.parents.get(key);
    return isSubagent(key) ? undefined : key;
  }

  #isOfGroup(ctx) {
    const sessionKey = this.#findRequester(ctx);
    if (isSubagent(ctx.sessionKey) && !sessionKey) return true;
    // Nobody sends a subagent anything; who wrote to the session that started it counts.
    const asking = isSubagent(ctx.sessionKey) ? { sessionKey, senderIsOwner: this.senders.get(sessionKey) } : ctx;
    return !isUnattended(asking) && !isPrivate(asking, this.config);
  }

  /** Where others speak, their words are not to become the owner's. */
  #keeps(ctx) {
    return this.config.capture !== false && this.vault(ctx.agentId) !== null && isPrivate(ctx, this.config);
  }

  /** Keeps the new messages of a context; those that can't be handed over now go with the next turn. */
  async keep(messages, ctx) {
    const session = this.session(ctx);
    const since = session.since;
    // Also of a turn that is not kept: the next one must not bring it.
    session.since = latest(since, lastMoment(messages));
    if (!this.#keeps(ctx)) return;
    const turns = newTurns(messages, since, isOwned(ctx, this.config));
    if (turns.length) {
      session.waiting.push(["feedback-loop", this.#payload(session, ctx, { turns }), this.vault(ctx.agentId), ctx.workspaceDir ?? ""]);
      if (session.waiting.length > MOST_WAITING) session.waiting.shift();
    }
    await this.deliver(session);
  }

  /** Commits a turn under the host's key: on disk on return, and only once if it is sent again. Throws if it is not. */
  async commit(key, messages, ctx) {
    const session = this.session(ctx);
    await this.#settleHeld(session, messages);
    session.since = latest(session.since, lastMoment(messages));
    const turns = this.#keeps(ctx) ? newTurns(messages, 0, isOwned(ctx, this.config)) : [];
    if (!turns.length) return "committed";
    await this.#hook("feedback-loop", session, { ...ctx, runId: key }, { turns }, TURN_MS);
    return "committed";
  }

  /** Where turns are committed, the end of a turn is held until its commit; if none comes, the turn is kept from here. */
  async endTurn(messages, ctx) {
    const session = this.session(ctx);
    await this.#release(session);
    if (this.commits) session.held = [messages, ctx];
    else await this.keep(messages, ctx);
  }

  /** A commit settles the held end of its own turn. An earlier turn's end is kept now: the host gave that turn to
   * another engine and will not commit it. A later turn's end stays held. */
  async #settleHeld(session, messages) {
    if (!session.held) return;
    const [end, begin] = [lastMoment(session.held[0]), firstMoment(messages)];
    if (Number.isFinite(begin) && end < begin) await this.#release(session);
    else if (!(end > lastMoment(messages))) session.held = null;
  }

  async #release(session) {
    const held = session.held;
    session.held = null;
    if (held) await this.keep(...held);
  }

  /** Keeps what no turn's end handed over. Sessions that ended their turns before this process began have nothing new. */
  async catchUp(messages, ctx) {
    if (this.session(ctx).since !== undefined) await this.keep(messages, ctx);
  }

  /** What the summary may leave out comes back with the first prompt after the compaction. */
  async saveState(messages, ctx) {
    await this.catchUp(messages, ctx);
    if (!this.#keeps(ctx)) return;
    const session = this.session(ctx);
    await this.#hook("precompact-extract", session, ctx, {}, TURN_MS).catch((error) => this.#passOver(error));
  }

  /** In order, one at a time. */
  async deliver(session, deadlineMs = TURN_MS) {
    session.sending ??= this.#send(session, deadlineMs).finally(() => {
      session.sending = null;
    });
    await session.sending;
  }

  async #send(session, deadlineMs) {
    try {
      while (session.waiting.length) {
        const sent = session.waiting[0];
        const [name, payload, vault, cwd] = sent;
        await this.daemon.hook(name, payload, { deadlineMs, vault, cwd });
        // Others may have come before it meanwhile, or taken its place.
        session.waiting = session.waiting.filter((one) => one !== sent);
        // At once: the next process must not find again what was handed over. A turn may come meanwhile.
        await this.#settle(session);
      }
    } catch (error) {
      this.#passOver(error);
      await this.#settle(session);
    }
  }

  async #settle(session) {
    await this.waiting.settle(session).catch((error) => this.#passOver(error));
  }

  async end(event, ctx) {
    const session = this.session(ctx);
    await this.#release(session);
    await this.deliver(session);
    if (this.#keeps(ctx)) {
      const reason = event.reason ?? "other";
      await this.#hook("session-end", session, ctx, { reason }, TURN_MS).catch((error) => this.#passOver(error));
    }
    if (RESETS.has(event.reason)) this.sessions.beginAnew(session);
  }

  async tool(one, params, ctx) {
    try {
      const session = ctx.sessionId ? this.session(ctx).name : undefined;
      const [name, args] = one.calls(params ?? {}, session);
      const vault = this.vault(ctx.agentId);
      const where = { vault, agent: this.#agent(ctx.agentId), cwd: ctx.workspaceDir, session, shared: this.#isOfGroup(ctx), deadlineMs: TOOL_MS };
      const found = await this.daemon.call(name, args, where);
      return { content: [{ type: "text", text: found.text }], details: found.result ?? {} };
    } catch (error) {
      this.#passOver(error);
      const said = `Memory gave no answer (${error.message}). Say so if the question depends on it.`;
      return { content: [{ type: "text", text: said }], details: { unavailable: true, error: error.message } };
    }
  }

  /** Beside the host's own memory, which takes two of these names, our tools have others. */
  #nameOf(one) {
    return this.config.mode === "engine" ? (ALONE[one.name] ?? one.name) : one.name;
  }

  toolNames() {
    return TOOLS.map((one) => this.#nameOf(one));
  }

  /** All tools in a private session, only those that read in an unattended one; in groups those that search, if the
   * settings say so. */
  tools(ctx) {
    if (this.config.tools === false || this.vault(ctx.agentId) === null) return null;
    if (ctx.sessionKey) note(this.senders, ctx.sessionKey, ctx.senderIsOwner);
    const unattended = isUnattended(ctx);
    // A subagent's tools may be listed before the host says who started it; a call looks again.
    const ofGroup = this.#isOfGroup(ctx) && (!isSubagent(ctx.sessionKey) || this.#findRequester(ctx) !== undefined);
    if (ofGroup && this.config.groups !== true) return null;
    return TOOLS.filter((one) => (ofGroup ? one.shared : !(unattended && one.writes))).map((one) => ({
      name: this.#nameOf(one),
      label: this.#nameOf(one),
      description: one.description,
      parameters: one.parameters,
      execute: (id, params) => this.tool(one, params, ctx),
    }));
  }

  /** What becomes of a session's messages; what was shortened before stays so where there is no answer. */
  async plan(skeleton, limits, ctx) {
    try {
      return await planFor(this, skeleton, limits, ctx);
    } catch (error) {
      this.#passOver(error);
      return this.session(ctx).pruned;
    }
  }

  async search(args, agentId, workspaceDir) {
    const vault = this.vault(agentId);
    if (vault === null) return { results: [] };
    const where = { vault, agent: this.#agent(agentId), cwd: workspaceDir, deadlineMs: TOOL_MS };
    return (await this.daemon.call("memory_search", args, where)).result;
  }

  #passOver(error) {
    this.log.warn(error instanceof Error ? error.message : String(error));
  }
}

/** What was noted first goes first. */
function note(known, key, value) {
  known.set(key, value);
  if (known.size > MAX_NOTED) known.delete(known.keys().next().value);
}

function hearthFor(api) {
  const config = api.pluginConfig ?? {};
  const key = JSON.stringify(config);
  if (!shared.has(key)) shared.set(key, new Hearth(config, (line) => api.logger?.warn?.(line), waitingFolder(api)));
  const found = shared.get(key);
  found.main = defaultAgent(api.config);
  return found;
}

function waitingFolder(api) {
  const state = api.runtime?.state?.resolveStateDir?.();
  return state ? path.join(state, "hearth-waiting") : undefined;
}

function workspaceOf(cfg, agentId) {
  const own = agentsOf(cfg).find((one) => one.id === agentId)?.workspace;
  return own ?? cfg?.agents?.defaults?.workspace;
}

function capability(hearth, api) {
  return {
    deterministicRecallToolName: "memory_search",
    promptBuilder: promptSection,
    flushPlanResolver: (params) => flushPlan(params, hearth.config.flush),
    runtime: {
      supportsWorkspaceMemoryReadSources: true,
      classifyWorkspaceMemoryPaths: (params) => classifyPaths(params, recordedProvenance),
      resolveMemoryBackendConfig: () => ({ backend: "builtin" }),
      authorizeSearchHits: async ({ hits }) => hits.filter((one) => one.source === "memory"),
      async getMemorySearchManager({ cfg, agentId }) {
        if (hearth.vault(agentId) === null) return { manager: null, error: "this agent has no memory in Hearth" };
        const given = workspaceOf(cfg, agentId);
        const workspaceDir = given && api.resolvePath ? api.resolvePath(given) : given;
        return { manager: searchManager({ search: (args) => hearth.search(args, agentId, workspaceDir), workspaceDir }) };
      },
      async closeMemorySearchManager() {},
      async closeAllMemorySearchManagers() {},
    },
  };
}

export default {
  id: "hearth",
  name: "Hearth",
  description: "Local memory of notes and past sessions.",
  register(api) {
    const hearth = hearthFor(api);
    const mode = hearth.config.mode ?? "memory";
    if (mode !== "engine") api.registerMemoryCapability(capability(hearth, api));
    api.registerCompactionProvider?.(compactionProvider(hearth));
    if (mode !== "memory") {
      api.registerContextEngine(ENGINE, (where) => {
        hearth.commits = true;
        return engineFor(hearth, where);
      });
    }
    api.registerTool((ctx) => hearth.tools(ctx), { names: hearth.toolNames() });
    api.on("before_prompt_build", (event, ctx) => hearth.recall(event, ctx), { timeoutMs: PROMPT_MS + 500 });
    api.on("agent_end", (event, ctx) => (ctx.trigger === "user" ? hearth.endTurn(event.messages, ctx) : undefined));
    api.on("before_compaction", (event, ctx) => hearth.saveState(event.messages, ctx));
    api.on("after_compaction", (event, ctx) => {
      Object.assign(hearth.session(ctx), { compacted: true, pruned: {} });
    });
    api.on("before_reset", (event, ctx) => hearth.catchUp(event.messages, ctx));
    api.on("subagent_spawned", (event, ctx) => hearth.spawned(event, ctx));
    api.on("session_end", (event, ctx) => hearth.end(event, ctx));
    if (api.registrationMode === "full") setImmediate(() => hearth.warm()).unref?.();
  },
};
