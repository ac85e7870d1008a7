// The context engine's side: turns are committed durably, one by one; the window and its compaction stay the host's.

import { promptSection } from "./memory.js";

export const ENGINE = "hearth";
const COMPACT_MS = 2_000;
// As the host itself estimates.
const CHARS_PER_TOKEN = 4;

function estimate(messages) {
  return Math.ceil(messages.reduce((sum, one) => sum + JSON.stringify(one?.content ?? "").length, 0) / CHARS_PER_TOKEN);
}

/** The host's own compaction; its module is there only inside the host. */
async function delegate(params) {
  const host = await import("openclaw/plugin-sdk/core");
  return host.delegateCompactionToRuntime(params);
}

/** The host makes an engine for each run; `hearth` holds the sessions. */
export function engineFor(hearth, where = {}, compact = delegate) {
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

    /** The messages unchanged; recall comes through the hook before the prompt. */
    async assemble({ messages, availableTools, citationsMode }) {
      const section = promptSection({ availableTools, citationsMode }).join("\n").trim();
      return {
        messages,
        estimatedTokens: estimate(messages) + Math.ceil(section.length / CHARS_PER_TOKEN),
        promptAuthority: "preassembly_may_overflow",
        ...(section ? { systemPromptAddition: section } : {}),
      };
    },

    async compact(params) {
      const session = hearth.sessions.of(contextOf(params));
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

function agentOf(sessionKey = "") {
  const parts = String(sessionKey).split(":");
  return parts[0] === "agent" ? parts[1] : undefined;
}
