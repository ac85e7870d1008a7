// Hearth's plugin for OpenCode. Plain JavaScript without dependencies: each moment goes to a hook of Hearth, which asks
// its daemon; what the hook answers is put where the model reads it. Whatever goes wrong, the turn goes on without it.

import { spawn } from "node:child_process"

// Milliseconds that a turn waits for a hook; hooks end earlier by themselves.
const PATIENCE = 5_000
const MOST_TURNS = 200
const MOST_SESSIONS = 500
// Sessions that are said to have ended when the host stops.
const MOST_ENDS = 20
const EDITORS = new Set(["edit", "write", "patch", "multiedit", "apply_patch"])

/** The text that a hook answers with; empty where it has nothing to say or did not come. */
function ask(settings, hook, payload) {
  return new Promise((resolve) => {
    const child = spawn(settings.python, ["-I", "-S", settings.stub, hook, "--host", "opencode"], {
      env: { ...process.env, ...settings.env },
      stdio: ["pipe", "pipe", "ignore"],
    })
    let said = ""
    // What the hook started may hold its pipe open after it is killed.
    const timer = setTimeout(() => (child.kill(), resolve("")), PATIENCE)
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (piece) => (said += piece))
    child.stdin.on("error", () => {})
    child.on("error", () => (clearTimeout(timer), resolve("")))
    child.on("close", (code) => (clearTimeout(timer), resolve(code === 0 ? said.trim() : "")))
    child.stdin.end(JSON.stringify(payload))
  })
}

/** What was typed or answered. `opencode run` puts its whole argument in quotes. */
function textOf(parts) {
  const said = (parts ?? []).filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
  return said.map((part) => part.text).join("\n").replace(/^"([^"]*)"$/, "$1")
}

/** The last turn of a session: the person's last message and what followed it. */
function lastTurn(messages) {
  const at = messages.findLastIndex(({ info, parts }) => info.role === "user" && textOf(parts).trim())
  if (at < 0) return { turns: [] }
  const turns = messages.slice(at).map(({ info, parts }) => ({
    role: info.role,
    text: textOf(parts),
    at: info.time?.created,
  }))
  return { id: messages[at].info.id, turns: turns.filter((one) => one.text.trim()).slice(0, MOST_TURNS) }
}

export function connect(settings) {
  return async ({ client, directory }) => {
    const subagents = new Map() // session -> whether it is a subagent's
    const openings = new Map() // session -> what stands in its system prompt, the same in each request
    const recording = new Map() // session -> the turn that is being recorded
    const payload = (session, more) => ({ session_id: session, cwd: directory, private: true, ...more })
    const quiet = async (work) => {
      try {
        return await work()
      } catch {
        return undefined
      }
    }

    function remember(session, isSubagent) {
      if (subagents.size >= MOST_SESSIONS) subagents.delete(subagents.keys().next().value)
      subagents.set(session, isSubagent)
    }

    /** Asks OpenCode once about a session that began in an earlier process. */
    async function isSubagent(session) {
      if (!subagents.has(session)) {
        const found = await quiet(() => client.session.get({ path: { id: session } }))
        if (found?.data) remember(session, Boolean(found.data.parentID))
      }
      return subagents.get(session) ?? false
    }

    function open(session, hook, source) {
      if (openings.size >= MOST_SESSIONS) openings.delete(openings.keys().next().value)
      const block = ask(settings, hook, payload(session, { source }))
      openings.set(session, block)
      return block
    }

    async function record(session) {
      const { data } = await client.session.messages({ path: { id: session } })
      const { id, turns } = lastTurn(data ?? [])
      if (turns.length) await ask(settings, "feedback-loop", payload(session, { turn_id: id, turns }))
    }

    return {
      event: ({ event }) =>
        quiet(async () => {
          const about = event.properties ?? {}
          if (event.type === "session.created" && about.info) remember(about.info.id, Boolean(about.info.parentID))
          if (event.type !== "session.compacted" && event.type !== "session.idle") return
          if (await isSubagent(about.sessionID)) return
          if (event.type === "session.compacted") open(about.sessionID, "postcompact-inject", "compact")
          if (event.type === "session.idle") {
            const done = quiet(() => record(about.sessionID))
            recording.delete(about.sessionID)
            if (recording.size >= MOST_ENDS) recording.delete(recording.keys().next().value)
            recording.set(about.sessionID, done)
            await done
          }
        }),

      "chat.message": ({ sessionID }, output) =>
        quiet(async () => {
          const prompt = textOf(output.parts)
          if (!prompt.trim() || (await isSubagent(sessionID))) return
          if (!openings.has(sessionID)) open(sessionID, "session-bootstrap", "startup")
          const turn = output.message.id
          const block = await ask(settings, "context-surfacing", payload(sessionID, { prompt, turn_id: turn, trigger: "user" }))
          const id = `prt_hearth${turn.slice(4)}`
          if (block) output.parts.push({ id, sessionID, messageID: turn, type: "text", text: block, synthetic: true })
        }),

      "experimental.chat.system.transform": ({ sessionID }, output) =>
        quiet(async () => {
          const block = await openings.get(sessionID)
          if (block) output.system.push(block)
        }),

      "tool.execute.after": ({ tool, sessionID, args }, output) =>
        quiet(async () => {
          const exit = output.metadata?.exit
          if (!(tool === "bash" || EDITORS.has(tool))) return
          if ((tool === "bash" ? !exit : !output.metadata?.error) || (await isSubagent(sessionID))) return
          const failed = { tool_name: tool, tool_input: args, error: output.output }
          const block = await ask(settings, "failure-inject", payload(sessionID, failed))
          if (block) output.output += `\n\n${block}`
        }),

      dispose: () =>
        quiet(async () => {
          await Promise.all(recording.values())
          const ends = [...recording.keys()].map((session) => ask(settings, "session-end", payload(session, { reason: "exit" })))
          await Promise.all(ends)
        }),
    }
  }
}
