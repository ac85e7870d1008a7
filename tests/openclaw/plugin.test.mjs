// The plugin against what the host was recorded to say, with a daemon that only listens.

import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";

import plugin, { Hearth } from "../../integrations/openclaw/index.js";
import { compactionProvider, engineFor } from "../../integrations/openclaw/engine.js";
import { QuietLog } from "../../integrations/openclaw/daemon.js";
import { classifyPaths, flushPlan, promptSection, searchManager } from "../../integrations/openclaw/memory.js";
import { defaultAgent, isPrivate, newTurns, Sessions, shortened, vaultOf } from "../../integrations/openclaw/sessions.js";
import { TOOLS } from "../../integrations/openclaw/tools.js";

const recorded = JSON.parse(readFileSync(new URL("recordings.json", import.meta.url)));
const manifest = JSON.parse(readFileSync(new URL("../../integrations/openclaw/openclaw.plugin.json", import.meta.url)));
const folder = mkdtempSync(path.join(tmpdir(), "hearth-node-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const PRIVATE = { agentId: "main", sessionKey: "agent:main:main", sessionId: "s", workspaceDir: "/w", trigger: "user" };

/** A daemon that writes down what it is asked; `answer` makes the replies. */
async function listen(t, answer = () => ({ output: "" })) {
  const socketPath = path.join(folder, `${Math.random().toString(36).slice(2)}.sock`);
  const asked = [];
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.write(".");
    let text = "";
    socket.on("data", (data) => {
      text += data;
      if (!text.endsWith("\n")) return;
      const request = JSON.parse(text);
      asked.push(request);
      const reply = answer(request);
      if (reply === null) socket.destroy();
      else if (reply !== undefined) socket.end(`${JSON.stringify(reply)}\n`);
    });
  });
  await new Promise((resolve) => server.listen(socketPath, resolve));
  t.after(() => server.close());
  const said = JSON.stringify({ socket: socketPath, version: "1", hash: "h" });
  const command = [process.execPath, "-e", `console.log(${JSON.stringify(said)})`, "--"];
  return { asked, command, names: () => asked.map((one) => one.name) };
}

async function hearthWith(daemon, more = {}) {
  const lines = [];
  const hearth = new Hearth({ command: daemon.command, ...more }, (line) => lines.push(line));
  await hearth.daemon.address();
  // Ample, so that a busy machine fails nothing.
  return Object.assign(hearth, { lines, promptMs: 30_000 });
}

test("a person's first prompt is told what the session and the prompt need, in that order", async (t) => {
  const daemon = await listen(t, ({ name }) => ({ output: `<${name}>` }));
  const hearth = await hearthWith(daemon);
  const first = recorded.before_prompt_build.find((one) => !one.event.messages.length);
  const told = await hearth.recall(first.event, first.ctx);
  assert.equal(told.prependContext, "<session-bootstrap>\n\n<context-surfacing>\n");
  const [, request] = daemon.asked;
  assert.deepEqual([request.op, request.host, request.version, request.hash, request.cwd], ["hook", "openclaw", "1", "h", first.ctx.workspaceDir]);
  const payload = JSON.parse(request.input);
  assert.deepEqual([payload.prompt, payload.private, payload.turn_id], [first.event.prompt, true, first.ctx.runId]);
});

test("a prompt of a session that goes on brings no briefing", async (t) => {
  const daemon = await listen(t);
  const hearth = await hearthWith(daemon);
  const later = recorded.before_prompt_build.find((one) => one.event.messages.length);
  assert.equal(await hearth.recall(later.event, later.ctx), undefined);
  assert.deepEqual(daemon.names(), ["context-surfacing"]);
});

test("the same run is told the same without a second question", async (t) => {
  const daemon = await listen(t, () => ({ output: "x" }));
  const hearth = await hearthWith(daemon, { bootstrap: false });
  const ctx = { ...PRIVATE, runId: "r" };
  const event = { prompt: "Where is the key?", messages: [] };
  assert.deepEqual(await hearth.recall(event, ctx), await hearth.recall(event, ctx));
  assert.equal(daemon.asked.length, 1);
});

for (const [what, change, prompt] of [
  ["a flush", { trigger: "memory" }],
  ["a heartbeat", { trigger: "heartbeat" }],
  ["a schedule", { trigger: "cron" }],
  ["a turn that does not say who began it", { trigger: undefined }],
  ["a group", { sessionKey: "agent:main:telegram:group:-100" }],
  ["another person's direct chat", { sessionKey: "agent:main:telegram:direct:42" }],
  ["an agent without memory", { agentId: "work", sessionKey: "agent:work:main" }],
  ["an empty prompt", {}, "  "],
]) {
  test(`${what} is told nothing, and nobody is asked`, async (t) => {
    const daemon = await listen(t, () => ({ output: "x" }));
    const hearth = await hearthWith(daemon);
    assert.equal(await hearth.recall({ prompt: prompt ?? "Where is the key?", messages: [] }, { ...PRIVATE, ...change }), undefined);
    assert.equal(daemon.asked.length, 0);
  });
}

test("what the host recorded of turns is handed over once each", async (t) => {
  const daemon = await listen(t);
  const hearth = await hearthWith(daemon);
  for (const { event, ctx } of recorded.agent_end) await hearth.keep(event.messages, ctx);
  const { event, ctx } = recorded.before_reset[0];
  await hearth.catchUp(event.messages, ctx);
  await hearth.catchUp(event.messages, { ...ctx, sessionId: "of an earlier process" });
  const turns = daemon.asked.map((one) => JSON.parse(one.input).turns.map((part) => [part.role, part.text]));
  const asked = recorded.agent_end.map((one) => one.event.messages.at(-2).content[0].text);
  assert.deepEqual(turns.map((turn) => turn[0]), asked.map((text) => ["user", text]));
  assert.ok(turns.every((turn) => turn.length === 2 && turn[1][0] === "assistant"));
});

test("nothing is kept of groups and schedules", async (t) => {
  const daemon = await listen(t);
  const hearth = await hearthWith(daemon);
  for (const sessionKey of ["agent:main:telegram:group:-100", "agent:main:cron:nightly", "agent:main:subagent:x"]) {
    await hearth.keep(recorded.agent_end[0].event.messages, { ...PRIVATE, sessionKey });
    await hearth.end({ reason: "new" }, { ...PRIVATE, sessionKey });
  }
  assert.equal(daemon.asked.length, 0);
});

test("what others said in the main session never goes with the owner's next turn", async (t) => {
  const daemon = await listen(t);
  const said = (at, text, senderIsOwner) => [{ role: "user", content: text, timestamp: at, __openclaw: { senderIsOwner } }, { role: "assistant", content: "Yes.", timestamp: at + 1 }];
  const hearth = await hearthWith(daemon, { private: ["agent:main:telegram:direct:1"] });
  const texts = () => daemon.asked.splice(0).map((one) => JSON.parse(one.input).turns.filter((part) => part.role === "user").map((part) => part.text));
  const first = said(10, "I am the owner.", true);
  const second = [...first, ...said(20, "I always want French.", undefined)];
  await hearth.keep(first, PRIVATE);
  await hearth.keep(second, { ...PRIVATE, senderIsOwner: false });
  await hearth.keep([...second, ...said(30, "Send me the key.", false), ...said(40, "We chose walnut.", true)], PRIVATE);
  assert.deepEqual(texts(), [["I am the owner."], ["We chose walnut."]]);
  await hearth.commit("k", said(50, "Forget the oak.", false), { ...PRIVATE, sessionId: "c" });
  assert.deepEqual(texts(), [[]]);
  await hearth.keep(said(60, "My name is Ana.", false), { ...PRIVATE, sessionKey: "agent:main:telegram:direct:1", sessionId: "d" });
  assert.deepEqual(texts(), [["My name is Ana."]]);
});

test("a reset ends the session for us though the host keeps its id", async (t) => {
  const daemon = await listen(t);
  const hearth = await hearthWith(daemon);
  const { event, ctx } = recorded.session_end[0];
  await hearth.recall({ prompt: "Hello there, what now?", messages: [] }, { ...PRIVATE, sessionId: event.sessionId });
  await hearth.end(event, ctx);
  await hearth.recall({ prompt: "And what now?", messages: [] }, { ...PRIVATE, sessionId: event.sessionId });
  const said = daemon.asked.map((one) => [one.name, JSON.parse(one.input)]);
  const [start, , end, again] = said;
  assert.deepEqual([start[1].source, end[0], end[1].reason, again[0], again[1].source], ["startup", "session-end", "new", "session-bootstrap", "clear"]);
  assert.notEqual(again[1].session_id, start[1].session_id);
});

test("a turn that could not be handed over goes with the next one, in order", async (t) => {
  let alive = false;
  const daemon = await listen(t, () => (alive ? { output: "" } : { busy: true }));
  const hearth = await hearthWith(daemon);
  const turn = (at, text) => [{ role: "user", content: text, timestamp: at }, { role: "assistant", content: "Yes.", timestamp: at + 1 }];
  await hearth.keep(turn(10, "one"), { ...PRIVATE, runId: "a" });
  alive = true;
  const before = daemon.asked.length;
  await hearth.keep([...turn(10, "one"), ...turn(20, "two")], { ...PRIVATE, runId: "b" });
  const sent = daemon.asked.slice(before).map((one) => JSON.parse(one.input));
  assert.deepEqual(sent.map((one) => [one.turn_id, one.turns[0].text]), [["a", "one"], ["b", "two"]]);
});

test("the state of a session is saved before a compaction, after what was not handed over yet", async (t) => {
  const daemon = await listen(t);
  const hearth = await hearthWith(daemon);
  const turn = (at, text) => [{ role: "user", content: text, timestamp: at }, { role: "assistant", content: "Yes.", timestamp: at + 1 }];
  await hearth.keep(turn(10, "one"), PRIVATE);
  await hearth.saveState([...turn(10, "one"), ...turn(20, "two")], PRIVATE);
  await hearth.saveState(turn(10, "one"), { ...PRIVATE, sessionKey: "agent:main:telegram:group:-100", sessionId: "g" });
  assert.deepEqual(daemon.names(), ["feedback-loop", "feedback-loop", "precompact-extract"]);
  assert.equal(JSON.parse(daemon.asked[2].input).session_id, "s");
});

test("a dead daemon costs a prompt no more than its deadline and one line of the log", async () => {
  const lines = [];
  const hearth = new Hearth({ command: [process.execPath, "-e", "process.exit(3)", "--"] }, (line) => lines.push(line));
  for (const runId of ["a", "b", "c"]) {
    const began = Date.now();
    assert.equal(await hearth.recall({ prompt: "Where is the key?", messages: [] }, { ...PRIVATE, runId }), undefined);
    assert.ok(Date.now() - began < 5_000);
  }
  assert.equal(lines.length, 1);
});

test("a daemon that never answers is given up within the deadline", async (t) => {
  const daemon = await listen(t, () => undefined);
  const hearth = await hearthWith(daemon, { bootstrap: false });
  hearth.promptMs = 200;
  assert.equal(await hearth.recall({ prompt: "Where is the key?", messages: [] }, PRIVATE), undefined);
  assert.equal(hearth.lines.length, 1);
});

test("a daemon of another version is looked for again, and asked", async (t) => {
  const daemon = await listen(t, () => (daemon.asked.length === 1 ? { refused: "version" } : { output: "found" }));
  const hearth = await hearthWith(daemon, { bootstrap: false });
  const told = await hearth.recall({ prompt: "Where is the key?", messages: [] }, PRIVATE);
  assert.equal(told.prependContext, "found\n");
});

test("the log gets a line a minute and says how many it left out", () => {
  const lines = [];
  let now = 0;
  const log = new QuietLog((line) => lines.push(line), () => now);
  for (now of [0, 1_000, 59_999, 60_000]) log.warn("no answer");
  assert.deepEqual(lines, ["hearth: no answer", "hearth: no answer (2 more in the meantime)"]);
});

test("the vault is opened before the first prompt, in a session of which nothing is kept", async (t) => {
  const daemon = await listen(t);
  const hearth = new Hearth({ command: daemon.command, vault: "home" }, () => {});
  await hearth.warm();
  const [{ name, vault, input }] = daemon.asked;
  assert.deepEqual([name, vault, JSON.parse(input).session_id], ["context-surfacing", "home", "hearth-doctor"]);
});

test("every tool is declared, and its first sentence says when to call it", () => {
  const names = ["memory", "engine"].flatMap((mode) => new Hearth({ mode }, () => {}).toolNames());
  assert.deepEqual([...new Set(names)].sort(), [...manifest.contracts.tools].sort());
  const occasions = /past|remember|recall|memory|happened|last time|user|related|cites|citation|knows/i;
  for (const one of TOOLS) assert.match(one.description.split(/(?<=[.;])\s/)[0], occasions, one.name);
});

test("tools are there in private, reading ones for schedules, none in groups and for agents without memory", () => {
  const hearth = new Hearth({}, () => {});
  const names = (change) => hearth.tools({ ...recorded.tool[0], ...change })?.map((one) => one.name) ?? null;
  assert.equal(names({}).length, TOOLS.length);
  assert.deepEqual(names({ sessionKey: "agent:main:cron:nightly" }), TOOLS.filter((one) => !one.writes).map((one) => one.name));
  assert.equal(names({ sessionKey: "agent:main:discord:channel:9" }), null);
  assert.equal(names({ agentId: "work", sessionKey: "agent:work:main" }), null);
  assert.equal(names({ senderIsOwner: false }), null);
});

test("in groups the agent may search what is shared, where the settings say so", async (t) => {
  const daemon = await listen(t, () => ({ result: {}, text: "" }));
  const hearth = await hearthWith(daemon, { groups: true });
  const group = { ...PRIVATE, sessionKey: "agent:main:telegram:group:1" };
  const tools = hearth.tools(group);
  assert.deepEqual(tools.map((one) => one.name), ["memory_search", "memory_get", "hearth_timeline", "hearth_similar"]);
  await tools[0].execute("c", { query: "key" });
  await hearth.tools(PRIVATE)[0].execute("c", { query: "key" });
  assert.deepEqual(daemon.asked.map((one) => one.shared), [true, undefined]);
});

test("a subagent reads what the session that started it may, and what is shared where nobody said which", async (t) => {
  const daemon = await listen(t, () => ({ result: {}, text: "" }));
  const hearth = await hearthWith(daemon);
  const started = (child, requesterSessionKey) => hearth.spawned({ childSessionKey: child }, { requesterSessionKey });
  const ask = async (sessionKey, tools = hearth.tools({ ...PRIVATE, sessionKey, senderIsOwner: false })) => {
    await tools[0].execute("c", { query: "key" });
    return daemon.asked.at(-1).shared;
  };
  const early = hearth.tools({ ...PRIVATE, sessionKey: "agent:main:subagent:late" });
  started("agent:main:subagent:mine", "agent:main:main");
  started("agent:main:subagent:mine:subagent:deep", "agent:main:subagent:mine");
  started("agent:main:subagent:late", "agent:main:telegram:group:1");
  assert.equal(await ask("agent:main:subagent:mine"), undefined);
  assert.equal(await ask("agent:main:subagent:mine:subagent:deep"), undefined);
  assert.equal(await ask("agent:main:subagent:unknown"), true);
  assert.equal(await ask("agent:main:subagent:late", early), true);
  assert.equal(hearth.tools({ ...PRIVATE, sessionKey: "agent:main:subagent:late" }), null);
  hearth.tools({ ...PRIVATE, senderIsOwner: false });
  assert.equal(hearth.tools({ ...PRIVATE, sessionKey: "agent:main:subagent:mine" }), null, "another person writes there");
});

test("a tool without an answer says so to the model", async () => {
  const hearth = new Hearth({ command: ["/nonexistent/hearth"] }, () => {});
  const [search] = hearth.tools(PRIVATE);
  const found = await search.execute("c", { query: "key" });
  assert.match(found.content[0].text, /^Memory gave no answer/);
  assert.equal(found.details.unavailable, true);
});

test("a tool's answer is text for the model and data for the host; what is refused is said", async (t) => {
  const daemon = await listen(t, ({ operation }) =>
    operation === "memory_search" ? { result: { results: [] }, text: "Nothing found.", remarks: [] } : { error: { message: "no such document" } },
  );
  const hearth = await hearthWith(daemon, { vault: "home" });
  const tools = Object.fromEntries(hearth.tools(PRIVATE).map((one) => [one.name, one]));
  const found = await tools.memory_search.execute("c", { query: "key" });
  assert.deepEqual(found, { content: [{ type: "text", text: "Nothing found." }], details: { results: [] } });
  const [{ op, operation, arguments: args, vault, cwd, session }] = daemon.asked;
  assert.deepEqual([op, operation, args, vault, cwd, session, daemon.asked[0].for], ["call", "memory_search", { query: "key" }, "home", "/w", "s", "model"]);
  assert.match((await tools.memory_get.execute("c", { path: "#x" })).content[0].text, /no such document/);
});

test("the host's own arguments reach the tools of Hearth", () => {
  const calls = Object.fromEntries(TOOLS.map((one) => [one.name, one.calls]));
  assert.deepEqual(calls.memory_search({ query: "q", maxResults: 3 }), ["memory_search", { query: "q", maxResults: 3 }]);
  assert.deepEqual(calls.memory_search({ query: "q", mode: "keyword", maxResults: 3 }), ["memory_retrieve", { query: "q", limit: 3, mode: "keyword" }]);
  assert.deepEqual(calls.memory_search({ query: "q", mode: "keyword", minScore: 0.4 }), ["search", { query: "q", min_score: 0.4 }]);
  assert.deepEqual(calls.memory_search({ query: "q", compact: true, minScore: 0.4 }), ["query", { query: "q", min_score: 0.4, compact: true }]);
  assert.deepEqual(calls.memory_get({ path: "#abc", from: 2 }), ["get", { reference: "#abc", from_line: 2 }]);
  assert.deepEqual(calls.memory_get({ path: "memory/a.md", lines: 5 }), ["memory_get", { path: "memory/a.md", lines: 5 }]);
  assert.deepEqual(calls.memory_store({ text: "t" }, "s"), ["memory_store", { text: "t", session: "s" }]);
});

test("an agent's vault comes from the host's id and the settings", () => {
  const config = { vault: "home", agents: { work: { vault: "work" }, guest: { memory: false } } };
  assert.equal(vaultOf("main", config), "home");
  assert.equal(vaultOf(undefined, {}), "");
  assert.equal(vaultOf("work", config), "work");
  assert.equal(vaultOf("guest", config), null);
  assert.equal(vaultOf("other", config), null);
});

test("an agent that shares a vault asks under its own name, and its sessions say whose they are", async (t) => {
  const daemon = await listen(t, ({ op }) => (op === "call" ? { result: {}, text: "" } : { output: "" }));
  const hearth = await hearthWith(daemon, { agents: { work: {}, home: { vault: "home" } } });
  for (const agentId of ["main", "work", "home", "guest"]) {
    const ctx = { ...PRIVATE, agentId, sessionKey: `agent:${agentId}:main`, sessionId: agentId, runId: agentId };
    await hearth.recall({ prompt: "Where is the key?", messages: [{}] }, ctx);
    await hearth.tools(ctx)?.[0].execute("c", { query: "key" });
  }
  const hooks = daemon.asked.filter((one) => one.op === "hook");
  assert.deepEqual(hooks.map((one) => [one.vault, JSON.parse(one.input).session_id]), [["", "main"], ["", "agent:work:work"], ["home", "home"]]);
  const calls = daemon.asked.filter((one) => one.op === "call");
  assert.deepEqual(calls.map((one) => [one.vault, one.agent]), [["", "main"], ["", "work"], ["home", "main"]]);
});

test("the default agent is read from either form of the host's settings", () => {
  assert.equal(defaultAgent({}), "main");
  assert.equal(defaultAgent({ agents: { list: [{ id: "a" }, { id: "b", default: true }] } }), "b");
  assert.equal(defaultAgent({ agents: { entries: { work: {}, main: {} } } }), "main");
  assert.equal(defaultAgent({ agents: { entries: { work: {} } } }), "work");
});

test("private is the main session, a named local one, or what the settings name", () => {
  const is = (sessionKey, config) => isPrivate({ sessionKey }, config);
  assert.ok(is("agent:main:main") && is("agent:main:garden"));
  for (const key of ["", "agent:main:telegram:group:1", "agent:main:discord:channel:1", "agent:main:telegram:direct:1", "agent:main:cron:x", "agent:main:subagent:x", "cron:x"]) assert.ok(!is(key), key);
  assert.ok(is("agent:main:telegram:direct:1", { private: ["agent:main:telegram:direct:1"] }));
});

test("of a turn only what people and the agent said is kept", () => {
  const at = (role, content, more) => ({ role, content, timestamp: 1, ...more });
  const turns = newTurns([
    at("user", "<vault-context>\nold\n</vault-context>\n\nWhere is the key?"),
    at("assistant", [{ type: "thinking", thinking: "hm" }, { type: "toolCall", name: "read" }]),
    at("toolResult", [{ type: "text", text: "secret file" }]),
    at("assistant", [{ type: "text", text: "Behind the door." }]),
    at("assistant", "NO_REPLY"),
    at("assistant", "mirrored", { model: "delivery-mirror" }),
    at("user", "from another session", { provenance: { kind: "inter_session" } }),
    at("user", "/status"),
  ], 0);
  assert.deepEqual(turns, [{ role: "user", text: "Where is the key?", at: 1 }, { role: "assistant", text: "Behind the door.", at: 1 }]);
  assert.deepEqual(newTurns(undefined, undefined), []);
  assert.deepEqual(newTurns([null, 3, { role: "user" }, { role: "user", content: {} }], undefined), []);
});

test("a turn of megabytes stays under what a request may hold", () => {
  const long = "x".repeat(3_000_000);
  const turns = newTurns(Array.from({ length: 20 }, (_, at) => ({ role: at % 2 ? "assistant" : "user", content: long, timestamp: at + 1 })), 0);
  assert.equal(turns.length, 20);
  assert.ok(JSON.stringify(turns).length < 1024 * 1024);
  assert.match(shortened("a".repeat(1_000), 500), /characters left out/);
});

test("the flush comes where the host's window says, once the reserve and the step before it are full", () => {
  const at = (contextWindowTokens, cfg = {}) => {
    const plan = flushPlan({ contextWindowTokens, cfg, nowMs: Date.UTC(2026, 0, 2, 12) });
    return contextWindowTokens - plan.reserveTokensFloor - plan.softThresholdTokens;
  };
  assert.equal(at(200_000), 176_000);
  assert.equal(at(32_768), 20_576);
  const plan = flushPlan({ contextWindowTokens: 200_000, nowMs: Date.UTC(2026, 0, 2, 23, 30), cfg: { agents: { defaults: { userTimezone: "Pacific/Auckland" } } } });
  assert.equal(plan.relativePath, "memory/2026-01-03.md");
  assert.match(plan.prompt, /memory\/2026-01-03\.md.*NO_REPLY/);
  assert.match(plan.prompt, /Where others take part .* store nothing/);
  const midnight = Date.UTC(2026, 0, 2, 11);
  const days = [midnight - 1, midnight].map((nowMs) => flushPlan({ nowMs, cfg: { agents: { defaults: { userTimezone: "Pacific/Auckland" } } } }).relativePath);
  assert.deepEqual(days, ["memory/2026-01-02.md", "memory/2026-01-03.md"]);
  assert.match(flushPlan({}, { prompt: "Write it down." }).prompt, /NO_REPLY\.$/);
  assert.equal(flushPlan({}, { enabled: false }), null);
  assert.equal(flushPlan({ cfg: { agents: { defaults: { compaction: { memoryFlush: { enabled: false } } } } } }), null);
});

test("the workspace's memory files are the agent's, what leads out of it is nobody's", async () => {
  const workspaceDir = path.join(folder, "workspace");
  mkdirSync(path.join(workspaceDir, "memory", "dreaming"), { recursive: true });
  for (const name of ["MEMORY.md", "USER.md", "DREAMS.md", "notes.md", "memory/2026-01-02.md", "memory/dreaming/x.md"]) writeFileSync(path.join(workspaceDir, name), "x");
  writeFileSync(path.join(folder, "outside.md"), "x");
  symlinkSync(path.join(folder, "outside.md"), path.join(workspaceDir, "memory", "link.md"));
  const relativePaths = ["MEMORY.md", "USER.md", "memory/2026-01-02.md", "DREAMS.md", "memory/dreaming/x.md", "notes.md", "memory/link.md", "../outside.md", "memory/none.md"];
  const found = await classifyPaths({ workspaceDir, relativePaths });
  assert.deepEqual(found.map((one) => one.originClass), ["agent", "agent", "agent", "system", "system", "untrusted", "untrusted", "untrusted", "untrusted"]);
  const said = await classifyPaths({ workspaceDir, relativePaths: ["MEMORY.md"] }, async () => ({ originClass: "untrusted" }));
  assert.equal(said[0].originClass, "untrusted");
  const manager = searchManager({ search: async () => ({ results: [] }), workspaceDir });
  assert.equal((await manager.readFile({ relPath: "MEMORY.md" })).text, "x");
  for (const relPath of ["../outside.md", "memory/link.md", "notes.md", "memory/none.md"]) assert.equal((await manager.readFile({ relPath })).status, "not_found");
});

test("the prompt's section names only tools that are there", () => {
  assert.deepEqual(promptSection({ availableTools: new Set(["read"]) }), []);
  const text = promptSection({ availableTools: new Set(["memory_search"]) }).join("\n");
  assert.ok(text.includes("memory_search") && !text.includes("memory_store") && !text.includes("memory_get"));
});

test("the session not used for longest is forgotten before the process grows, but not one whose turns wait", () => {
  const sessions = new Sessions();
  const [first, used, waits] = ["0", "used", "waits"].map((sessionId) => sessions.of({ sessionId }));
  waits.waiting.push(["feedback-loop", {}, "", ""]);
  for (let at = 1; at <= 600; at += 1) {
    sessions.of({ sessionId: String(at) });
    sessions.of({ sessionId: "used" });
  }
  assert.notEqual(sessions.of({ sessionId: "0" }), first);
  assert.equal(sessions.of({ sessionId: "used" }), used);
  assert.equal(sessions.of({ sessionId: "waits" }), waits);
});

test("a briefing that did not arrive comes with the next prompt", async (t) => {
  let alive = false;
  const daemon = await listen(t, ({ name }) => (alive ? { output: name } : { busy: true }));
  const hearth = await hearthWith(daemon);
  assert.equal(await hearth.recall({ prompt: "Where is the key?", messages: [] }, { ...PRIVATE, runId: "a" }), undefined);
  alive = true;
  const told = await hearth.recall({ prompt: "Where is the key?", messages: [] }, { ...PRIVATE, runId: "b" });
  assert.match(told.prependContext, /^session-bootstrap/);
});

test("turns that wait for a dead daemon outlive the gateway, and are handed over once", async (t) => {
  let alive = false;
  const daemon = await listen(t, () => (alive ? { output: "" } : { busy: true }));
  const waiting = path.join(mkdtempSync(path.join(folder, "state-")), "waiting");
  const open = async () => {
    const hearth = new Hearth({ command: daemon.command }, () => {}, waiting);
    await hearth.daemon.address();
    return hearth;
  };
  await (await open()).keep(COMMIT.messages, { ...PRIVATE, runId: "a" });
  const [file] = readdirSync(waiting);
  assert.equal(statSync(path.join(waiting, file)).mode & 0o777, 0o600);
  const ofTheLiving = file.replace(/\.\d+\./, `.${process.ppid}.`);
  writeFileSync(path.join(waiting, ofTheLiving), readFileSync(path.join(waiting, file)));
  writeFileSync(path.join(waiting, file.replace(/^./, "f")), "{");
  await (await open()).takeUp();
  assert.equal(readdirSync(waiting).length, 3, "what could not be handed over stays");
  alive = true;
  const before = daemon.asked.length;
  await (await open()).takeUp();
  await (await open()).takeUp();
  const sent = daemon.asked.slice(before).map((one) => JSON.parse(one.input));
  assert.deepEqual(sent.map((one) => [one.turn_id, one.turns.length]), [["a", 2]]);
  assert.deepEqual(readdirSync(waiting).sort(), [ofTheLiving, file.replace(/^./, "f")].sort());
});

test("a turn that comes before the one being sent is sent too", async (t) => {
  let put = () => {};
  const daemon = await listen(t, () => (put(), { output: "" }));
  const hearth = await hearthWith(daemon);
  put = () => {
    put = () => {};
    hearth.session(PRIVATE).waiting.unshift(["feedback-loop", { turn_id: "earlier" }, "", ""]);
  };
  await hearth.keep(COMMIT.messages, { ...PRIVATE, runId: "a" });
  assert.deepEqual(daemon.asked.map((one) => JSON.parse(one.input).turn_id), ["a", "earlier"]);
});

/** The engine, with a daemon that is dead while `alive` is false. */
async function engineWith(t, state) {
  const daemon = await listen(t, () => (state.alive ? { output: "" } : { busy: true }));
  const hearth = await hearthWith(daemon, { mode: "both" });
  hearth.commits = true;
  const compacted = [];
  const engine = engineFor(hearth, { workspaceDir: "/w" }, async (params) => {
    compacted.push(params);
    return { ok: true, compacted: true };
  });
  return { daemon, hearth, engine, compacted };
}

const COMMIT = {
  advancementKey: "k1",
  sessionId: "s",
  sessionKey: "agent:main:main",
  messages: [
    { role: "user", content: "Where is the key?", timestamp: 10, idempotencyKey: "k1:user" },
    { role: "assistant", content: [{ type: "text", text: "Behind the door." }], timestamp: 11 },
  ],
};

test("a turn is committed by the host's key, and one that is not on the disk is refused", async (t) => {
  const state = { alive: false };
  const { daemon, engine } = await engineWith(t, state);
  await assert.rejects(engine.commitTurn(COMMIT));
  state.alive = true;
  assert.deepEqual(await engine.commitTurn(COMMIT), { status: "committed" });
  assert.deepEqual(daemon.asked.map((one) => JSON.parse(one.input).turn_id), ["k1", "k1"]);
  assert.equal(JSON.parse(daemon.asked[1].input).turns.length, 2);
});

test("the end of a turn that was committed is not kept a second time", async (t) => {
  const { daemon, hearth, engine } = await engineWith(t, { alive: true });
  await hearth.endTurn(COMMIT.messages, { ...PRIVATE, runId: "r" });
  await engine.commitTurn(COMMIT);
  await hearth.end({ reason: "new" }, PRIVATE);
  assert.deepEqual(daemon.names(), ["feedback-loop", "session-end"]);
});

test("a turn whose commit never came is kept with the next, or at the end", async (t) => {
  const { daemon, hearth } = await engineWith(t, { alive: true });
  await hearth.endTurn(COMMIT.messages, { ...PRIVATE, runId: "r" });
  const later = [...COMMIT.messages, { role: "user", content: "And the gate?", timestamp: 20 }];
  await hearth.endTurn(later, { ...PRIVATE, runId: "q" });
  await hearth.end({ reason: "shutdown" }, PRIVATE);
  const turns = daemon.asked.slice(0, 2).map((one) => JSON.parse(one.input).turns.map((part) => part.text));
  assert.deepEqual(turns, [["Where is the key?", "Behind the door."], ["And the gate?"]]);
});

test("a turn that the host gave to another engine is kept, whatever is committed before or after it", async (t) => {
  for (const order of ["older", "newer"]) {
    const state = { alive: false };
    const { daemon, hearth, engine } = await engineWith(t, state);
    await engine.commitTurn(COMMIT).catch(() => {});
    await hearth.endTurn(COMMIT.messages, { ...PRIVATE, runId: "r" });
    const other = [...COMMIT.messages, { role: "user", content: "And the gate?", timestamp: 20 }];
    await hearth.endTurn(other, { ...PRIVATE, runId: "q" });
    state.alive = true;
    const next = [{ role: "user", content: "And the shed?", timestamp: 30 }];
    if (order === "older") await engine.commitTurn(COMMIT);
    await engine.commitTurn({ ...COMMIT, advancementKey: "k2", messages: next });
    if (order === "newer") await engine.commitTurn(COMMIT);
    await hearth.endTurn([...other, ...next], { ...PRIVATE, runId: "s" });
    await hearth.end({ reason: "shutdown" }, PRIVATE);
    const kept = daemon.asked.filter((one) => one.name === "feedback-loop").map((one) => JSON.parse(one.input));
    const told = new Set(kept.map((one) => one.turns.map((part) => part.text).join(" ")));
    assert.deepEqual([...told].sort(), ["And the gate?", "And the shed?", "Where is the key? Behind the door."], order);
    assert.ok(kept.filter((one) => one.turns[0].text === "And the gate?").length === 1, order);
  }
});

const turnWith = (at, size) => [
  { role: "user", content: `Read file ${at}.`, timestamp: at * 10 },
  { role: "assistant", content: [{ type: "toolCall", id: `c${at}`, name: "read", arguments: { path: "a" } }], timestamp: at * 10 + 1 },
  { role: "toolResult", toolCallId: `c${at}`, toolName: "read", content: [{ type: "text", text: "x".repeat(size) }], timestamp: at * 10 + 2 },
  { role: "assistant", content: [{ type: "text", text: "Read." }], timestamp: at * 10 + 3 },
];

test("the engine sends sizes alone, and applies the plan to copies", async (t) => {
  const actions = { c1: "trim", c2: "clear", "user:30": "drop" };
  const daemon = await listen(t, ({ operation }) => (operation === "context_fit" ? { result: { actions } } : { output: "" }));
  const hearth = await hearthWith(daemon, { mode: "both" });
  const engine = engineFor(hearth, { config: { agents: { defaults: { contextPruning: { ttl: "1h" } } } } });
  const messages = [1, 2, 3].flatMap((at) => turnWith(at, 9_000));
  const params = { messages, sessionId: "s", sessionKey: "agent:main:main", tokenBudget: 5_000 };
  const found = await engine.assemble(params);
  const { arguments: args } = daemon.asked.at(-1);
  assert.deepEqual([args.budget, args.window, args.ttl], [4_500, 5_000, 3_600]);
  assert.ok(!args.skeletons.includes("Read file") && JSON.parse(args.skeletons)[2].chars === 9_000);
  const texts = found.messages.map((one) => one.content?.[0]?.text ?? one.content);
  assert.match(texts[2], /^x{1500}\n\.\.\.\nx{1500}\n\n\[Tool result trimmed: the first 1,500 and the last 1,500 of 9,000 characters\]$/);
  assert.equal(texts[6], "[Old tool result content cleared]");
  assert.ok(!texts.includes("Read file 3.") && found.messages.length === 11);
  assert.equal(found.messages[0], messages[0]);
  assert.equal(messages[2].content[0].text.length, 9_000);
  await engine.assemble(params);
  assert.deepEqual(JSON.parse(daemon.asked.at(-1).arguments.former), { c1: "trim", c2: "clear" });
});

test("a window without a plan in time is the host's, and what was shortened stays so", async (t) => {
  let answers = true;
  const daemon = await listen(t, () => (answers ? { result: { actions: { c1: "clear" } } } : undefined));
  const hearth = await hearthWith(daemon, { mode: "both" });
  const engine = engineFor(hearth);
  const params = { messages: turnWith(1, 90_000), sessionId: "s", sessionKey: "agent:main:main", tokenBudget: 5_000 };
  const first = await engine.assemble(params);
  answers = false;
  const began = Date.now();
  assert.deepEqual((await engine.assemble(params)).messages, first.messages);
  assert.ok(Date.now() - began < 4_000);
  assert.equal((await engine.assemble({ ...params, sessionId: "other" })).messages, params.messages);
});

test("a short conversation is planned without asking anybody", async (t) => {
  const { daemon, engine } = await engineWith(t, { alive: true });
  const params = { messages: turnWith(1, 100), sessionId: "s", sessionKey: "agent:main:main", tokenBudget: 100_000 };
  assert.equal((await engine.assemble(params)).messages, params.messages);
  assert.equal(daemon.asked.length, 0);
});

test("old images become marks where the host's settings prune", async (t) => {
  const actions = { "user:10": "unillustrate" };
  const daemon = await listen(t, () => ({ result: { actions } }));
  const hearth = await hearthWith(daemon, { mode: "both" });
  const messages = [{ role: "user", content: [{ type: "text", text: "Look." }, { type: "image", data: "AAAA" }], timestamp: 10 }];
  const params = { messages, sessionId: "s", sessionKey: "agent:main:main", tokenBudget: 90_000 };
  const found = await engineFor(hearth).assemble(params);
  assert.deepEqual(found.messages[0].content.map((one) => one.type), ["text", "text"]);
  const off = { config: { agents: { defaults: { contextPruning: { mode: "off" } } } } };
  assert.equal((await engineFor(hearth, off).assemble({ ...params, sessionId: "off" })).messages, messages);
});

test("a summary of the host's compaction comes from Hearth, and fails so that the host makes its own", async (t) => {
  let alive = true;
  const daemon = await listen(t, () => (alive ? { result: { summary: "## Goal" } } : { busy: true }));
  const provider = compactionProvider(await hearthWith(daemon));
  const messages = [...Array(400).keys()].flatMap((at) => turnWith(at, 9_000));
  assert.equal(await provider.summarize({ messages, previousSummary: "before" }), "## Goal");
  const { arguments: args } = daemon.asked[0];
  assert.equal(args.former, "before");
  assert.ok(args.messages.length <= 450_000 && args.messages.includes("Read file 0.") && args.messages.includes("Read file 399."));
  alive = false;
  await assert.rejects(provider.summarize({ messages }));
});

test("the engine gives the host's messages back as they are, with the prompt's section", async (t) => {
  const { engine } = await engineWith(t, { alive: true });
  const { messages } = COMMIT;
  const found = await engine.assemble({ messages, availableTools: new Set(["memory_search"]), tokenBudget: 1_000, ...PRIVATE });
  assert.equal(found.messages, messages);
  assert.match(found.systemPromptAddition, /memory_search/);
  assert.ok(found.estimatedTokens > 0);
  assert.equal((await engine.assemble({ messages, ...PRIVATE })).systemPromptAddition, undefined);
});

test("beside another memory the engine passes on what that says to the model", async (t) => {
  const hearth = await hearthWith(await listen(t), { mode: "engine" });
  const seen = [];
  const engine = engineFor(hearth, {}, undefined, async (params) => (seen.push(params), "## Another memory\n"));
  const found = await engine.assemble({ messages: [], availableTools: new Set(["hearth_search"]), ...PRIVATE });
  assert.match(found.systemPromptAddition, /^## Another memory\n## Memory\n/);
  assert.equal(seen[0].agentSessionKey, PRIVATE.sessionKey);
});

test("a compaction is the host's, after what waits was handed over", async (t) => {
  const state = { alive: false };
  const { daemon, hearth, engine, compacted } = await engineWith(t, state);
  await hearth.keep(COMMIT.messages, { ...PRIVATE, runId: "r" });
  state.alive = true;
  const params = { sessionId: "s", sessionKey: "agent:main:main", force: true };
  assert.deepEqual(await engine.compact(params), { ok: true, compacted: true });
  assert.equal(compacted[0], params);
  assert.deepEqual(daemon.names(), ["feedback-loop", "feedback-loop"]);
});

test("heartbeats, groups and agents without memory commit nothing, and hosts are told that all is well", async (t) => {
  const { daemon, engine } = await engineWith(t, { alive: true });
  for (const more of [{ isHeartbeat: true }, { sessionKey: "agent:main:telegram:group:1" }, { sessionKey: "agent:work:main" }]) {
    assert.deepEqual(await engine.commitTurn({ ...COMMIT, ...more }), { status: "committed" });
  }
  assert.equal(daemon.asked.length, 0);
});

test("the modes fill the slots that they name", () => {
  const registered = (mode) => {
    const seen = [];
    const note = (what) => () => seen.push(what);
    const api = { pluginConfig: { mode }, on: () => {}, registerTool: note("tools"), registerMemoryCapability: note("memory"), registerContextEngine: note("engine") };
    plugin.register(api);
    return seen;
  };
  assert.deepEqual(registered(undefined), ["memory", "tools"]);
  assert.deepEqual(registered("engine"), ["engine", "tools"]);
  assert.deepEqual(registered("both"), ["memory", "engine", "tools"]);
});

test("the plugin registers itself without starting anything", () => {
  const seen = [];
  const api = {
    registrationMode: "discovery",
    pluginConfig: { command: ["/nonexistent/hearth"] },
    config: {},
    logger: { warn: (line) => seen.push(line) },
    registerMemoryCapability: () => seen.push("memory"),
    registerTool: (_, { names }) => seen.push(...names),
    on: (name) => seen.push(name),
  };
  plugin.register(api);
  assert.deepEqual(seen, ["memory", ...TOOLS.map((one) => one.name), "before_prompt_build", "agent_end", "before_compaction", "after_compaction", "before_reset", "subagent_spawned", "session_end"]);
});
