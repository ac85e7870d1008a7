// The way to Hearth's daemon: one line of JSON each way over its Unix socket, within a deadline.

import { execFile } from "node:child_process";
import { lstatSync } from "node:fs";
import net from "node:net";

export const MAX_REQUEST = 1024 * 1024;
const MAX_REPLY = 4 * 1024 * 1024;
const START_MS = 30_000;
// A daemon that can't start must not be tried at every prompt.
const PAUSE_MS = 10_000;
const MINUTE_MS = 60_000;

export class Unavailable extends Error {}

/** Writes at most one line a minute; says how many were left out. */
export class QuietLog {
  constructor(write, now = Date.now) {
    this.write = write;
    this.now = now;
    this.last = -Infinity;
    this.leftOut = 0;
  }

  warn(text) {
    if (this.now() - this.last < MINUTE_MS) {
      this.leftOut += 1;
      return;
    }
    const more = this.leftOut ? ` (${this.leftOut} more in the meantime)` : "";
    this.last = this.now();
    this.leftOut = 0;
    this.write(`hearth: ${text}${more}`);
  }
}

export class Daemon {
  constructor({ command = ["hearth"], env = {} } = {}) {
    this.command = command;
    this.env = env;
    this.found = null;
    this.finding = null;
    this.triedAt = -Infinity;
  }

  /** Where the daemon listens and what a request must name; starts it if none runs. */
  async address(fresh = false) {
    if (this.found && !fresh) return this.found;
    if (this.finding) return this.finding;
    if (Date.now() - this.triedAt < PAUSE_MS) throw new Unavailable("the daemon is not there");
    this.triedAt = Date.now();
    this.finding = this.#find().finally(() => {
      this.finding = null;
    });
    this.finding.catch(() => {});
    return this.finding;
  }

  async #find() {
    const [program, ...first] = this.command;
    const text = await new Promise((resolve, reject) => {
      execFile(
        program,
        [...first, "daemon", "address", "--start", "--json"],
        { env: { ...process.env, ...this.env }, timeout: START_MS, maxBuffer: MAX_REQUEST },
        (error, out, err) => (error ? reject(new Unavailable(`${program}: ${firstLine(err) || error.message}`)) : resolve(out)),
      );
    });
    const given = JSON.parse(text);
    if (lstatSync(given.socket).uid !== process.getuid()) throw new Unavailable(`${given.socket} is another user's`);
    this.found = given;
    this.triedAt = -Infinity;
    return given;
  }

  /** The reply to a request. Throws `Unavailable` where none comes in time. */
  async ask(fields, deadlineMs) {
    const until = Date.now() + deadlineMs;
    for (let attempt = 0; ; attempt += 1) {
      const at = await within(this.address(attempt > 0), until - Date.now(), "the daemon is starting");
      const left = Math.max(1, until - Date.now());
      const line = JSON.stringify({ version: at.version, hash: at.hash, deadline_ms: left, env: {}, ...fields });
      if (Buffer.byteLength(line) >= MAX_REQUEST) throw new Unavailable("the request is too long");
      try {
        const reply = JSON.parse(await exchange(at.socket, `${line}\n`, left));
        if (reply.busy) throw new Unavailable("the daemon is busy");
        // Another version or other settings since: ask again where it is.
        if (!reply.refused) return reply;
        if (attempt) throw new Unavailable(`the daemon refused: ${reply.refused}`);
      } catch (error) {
        if (attempt || !isGone(error)) throw error;
      }
    }
  }

  /** An operation called by a model: its answer as text and as data. Throws if there is none. */
  async call(operation, args, { deadlineMs, vault = "", agent = "main", cwd = "", session, shared }) {
    const fields = { op: "call", for: "model", operation, arguments: args, vault, agent, cwd, ...(session ? { session } : {}), ...(shared ? { shared } : {}) };
    const reply = await this.ask(fields, deadlineMs);
    if (reply.error) throw new Error(reply.error.message);
    return { text: reply.text ?? "", result: reply.result };
  }

  async hook(name, payload, { deadlineMs, vault = "", cwd = "" }) {
    const input = JSON.stringify(payload);
    const reply = await this.ask({ op: "hook", name, host: "openclaw", vault, cwd, input }, deadlineMs);
    if (typeof reply.output !== "string") throw new Unavailable("the daemon gave no answer");
    return reply.output;
  }
}

export function within(promise, ms, why) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Unavailable(why)), Math.max(1, ms));
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function isGone(error) {
  return ["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"].includes(error?.code) || error?.closed === true;
}

function firstLine(text) {
  return String(text ?? "").trim().split("\n").at(-1)?.slice(0, 200);
}

/** The daemon sends one byte on accept, then its line. */
function exchange(path, line, deadlineMs) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path);
    const parts = [];
    let size = 0;
    const timer = setTimeout(() => fail(new Unavailable("the daemon did not answer in time")), deadlineMs);
    const fail = (error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.on("error", fail);
    socket.on("connect", () => socket.write(line));
    socket.on("data", (data) => {
      parts.push(data);
      size += data.length;
      if (size > MAX_REPLY) fail(new Unavailable("the answer is too long"));
      else if (data.at(-1) === 10) {
        clearTimeout(timer);
        socket.destroy();
        resolve(Buffer.concat(parts).toString("utf8").slice(1));
      }
    });
    socket.on("end", () => fail(Object.assign(new Unavailable("the daemon closed the connection"), { closed: true })));
  });
}
