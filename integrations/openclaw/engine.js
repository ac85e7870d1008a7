// The context engine's side: turns are committed durably, one by one, and old results give way before the window is full.

import { within } from "./daemon.js";
import { promptSection } from "./memory.js";
import { apply, briefed, needsPlan, skeletonOf, tokensOf } from "./window.js";

export const ENGINE = "hearth";
const COMPACT_MS = 2_000;
const ASSEMBLE_MS = 1_500;
const SUMMARY_MS = 60_000;
const MAX_SUMMARY_BYTES = 450_000;
const WINDOW = 200_000;
// Kept free for what the hook before the prompt brings.
const RECALL_SHARE = 0.1;
const MOST_RECALL = 2_400;

/** The host's own compaction; its module is there only inside the host. */
async function delegate(params) {
  const host = await import("openclaw/plugin-sdk/core");
  return host.delegateCompactionToRuntime(params);
}

/** What the plugin of the memory slot says to the model; with another engine than its own the host leaves that out. */
async function sectionOfMemory(params) {
  const host = await import("openclaw/plugin-sdk/core");
  return host.buildMemorySystemPromptAddition(params) ?? "";
}

/** The host makes an engine for each run; `hearth` holds the sessions. */
export function engineFor(hearth, where = {}, compact = delegate, sectionOf = sectionOfMemory) {
  const contextOf = (params) => ({
    agentId: params.agentId ?? params.sessionTarget?.agentId ?? params.admission?.agentId ?? agentOf(params.sessionKey),
    sessionId: params.sessionId,
    sessionKey: params.sessionKey ?? params.sessionTarget?.sessionKey,
    workspaceDir: params.runtimeContext?.workspaceDir ?? where.workspaceDir,
    cwd: params.runtimeContext?.cwd,
    trigger: "user",
  });
  return {
    info: {
      id: ENGINE,
      name: "Hearth",
      ownsCompaction: false,
      acceptedHostParams: ["sessionKey", "prompt", "sessionTarget", "runtimeContext"],
      transcriptSemantics: {
        currentTurnFence: "before-current-turn-entry-v1",
        turnAdvancementIdempotency: "atomic-idempotent-v1",
      },
    },

    /** Throws if the turn is not on disk, so that the host delivers it again. */
    async commitTurn(params) {
      const { advancementKey, messages, isHeartbeat } = params;
      if (isHeartbeat) return { status: "committed" };
      return { status: await hearth.commit(advancementKey, messages, contextOf(params)) };
    },

    /** The messages within the budget: unchanged if Hearth has no plan in time. Recall comes through the hook. */
    async assemble(params) {
      const { messages, availableTools, citationsMode, sessionKey } = params;
      const ours = promptSection({ availableTools, citationsMode }).join("\n").trim();
      const asked = { availableTools: availableTools ?? new Set(), citationsMode, agentSessionKey: sessionKey };
      // With both slots the section of the memory is ours.
      const theirs = hearth.config.mode === "engine" ? await sectionOf(asked) : "";
      const section = [theirs.trim(), ours].filter(Boolean).join("\n");
      const skeleton = skeletonOf(messages);
      const actions = await hearth.plan(skeleton, limitsOf(params, where), contextOf(params));
      const kept = skeleton.filter((one) => actions[one.id] !== "drop");
      const sent = Object.keys(actions).length ? apply(messages, skeleton, actions) : messages;
      const measured = sent === messages ? kept : skeletonOf(sent);
      return {
        messages: sent,
        estimatedTokens: measured.reduce((sum, one) => sum + one.tokens, 0) + tokensOf(section),
        promptAuthority: "preassembly_may_overflow",
        ...(section ? { systemPromptAddition: section } : {}),
      };
    },

    async compact(params) {
      const session = hearth.session(contextOf(params));
      await hearth.deliver(session, COMPACT_MS);
      return compact(params);
    },

    // For hosts older than committed turns.
    async ingest() {
      return { ingested: false };
    },
    async ingestBatch() {
      return { ingestedCount: 0 };
    },
    async afterTurn(params) {
      await hearth.keep(params.messages, contextOf(params));
    },
  };
}

/** Hearth's summaries for the host's compaction; the host falls back to its model if this throws. */
export function compactionProvider(hearth) {
  return {
    id: ENGINE,
    label: "Hearth",
    async summarize({ messages, previousSummary }) {
      const args = { messages: briefed(messages, MAX_SUMMARY_BYTES), ...(previousSummary ? { former: previousSummary } : {}) };
      const vault = hearth.vault(hearth.main);
      if (vault === null) throw new Error("Hearth is off for this agent");
      const found = await hearth.daemon.call("context_summarize", args, { vault, deadlineMs: SUMMARY_MS });
      return found.result.summary;
    },
  };
}

/** The tokens that may be sent, the window, and how long the provider's cache holds by the host's settings. */
export function limitsOf({ tokenBudget, runtimeContext }, where = {}) {
  const given = [runtimeContext?.tokenBudget, tokenBudget].filter((one) => Number.isFinite(one) && one > 0);
  const window = given.length ? Math.max(...given) : WINDOW;
  const whole = Number.isFinite(tokenBudget) && tokenBudget > 0 ? tokenBudget : window;
  const budget = Math.max(1, Math.floor(whole - Math.min(MOST_RECALL, whole * RECALL_SHARE)));
  const pruning = where.config?.agents?.defaults?.contextPruning ?? {};
  return { budget, window, ttl: secondsOf(pruning.ttl), prunes: pruning.mode !== "off" };
}

function secondsOf(given) {
  const found = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/.exec(String(given ?? "").trim());
  return found ? Math.round(Number(found[1]) * { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 }[found[2] ?? "m"]) : undefined;
}

/** What becomes of messages by their names; nothing of them where nothing has to, or no plan comes in time. */
export async function planFor(hearth, skeleton, limits, ctx) {
  const { budget, window, ttl, prunes } = limits;
  const session = hearth.session(ctx);
  const vault = hearth.vault(ctx.agentId);
  if (vault === null || !prunes || !needsPlan(skeleton, budget, window)) return session.pruned;
  const args = { skeletons: JSON.stringify(skeleton), former: JSON.stringify(session.pruned), budget, window, ...(ttl === undefined ? {} : { ttl }) };
  const asked = hearth.daemon.call("context_fit", args, { vault, deadlineMs: ASSEMBLE_MS });
  const { result } = await within(asked, ASSEMBLE_MS, "no plan of the window in time");
  const { actions } = result;
  session.pruned = Object.fromEntries(Object.entries(actions).filter(([, action]) => action !== "drop"));
  return actions;
}

function agentOf(sessionKey = "") {
  const parts = String(sessionKey).split(":");
  return parts[0] === "agent" ? parts[1] : undefined;
}
