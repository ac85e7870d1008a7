// Turns that wait on disk for a dead daemon, so that they survive the gateway.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const MAX_FILES = 500;
const FILE = /^([0-9a-f]{32})(?:-\d+)?\.(\d+)\.(?:json|taken)$/;

/** A file a session and process in a folder of the host's state, for its owner alone. Without a folder nothing is
 * written. */
export class WaitingTurns {
  #written = new Set();
  #taken = new Map();
  #count = 0;

  constructor(folder) {
    this.folder = folder;
  }

  /** Writes what waits of a session; takes its file away once nothing does. */
  async settle(session) {
    if (!this.folder) return;
    const name = `${createHash("sha256").update(session.id).digest("hex").slice(0, 32)}.${process.pid}.json`;
    if (session.waiting.length) await this.#write(name, session);
    else if (this.#written.delete(name)) await this.#remove(name);
    // Only now: what these held was handed over, or stands in the other.
    const taken = this.#taken.get(session.id) ?? [];
    this.#taken.delete(session.id);
    for (const one of taken) await this.#remove(one);
  }

  async #write(name, session) {
    const { id, prefix, since, waiting } = session;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const half = path.join(this.folder, `${name}.half`);
    await writeFile(half, JSON.stringify({ id, prefix, name: session.name, since, waiting }), { mode: 0o600 });
    await rename(half, path.join(this.folder, name));
    this.#written.add(name);
  }

  async #remove(name) {
    await rm(path.join(this.folder, name), { force: true });
  }

  /** The sessions that dead processes left. Only one process takes a file, by renaming it; an unreadable one stays. */
  async left() {
    const found = [];
    const names = this.folder ? await readdir(this.folder).catch(() => []) : [];
    for (const name of names.filter((one) => this.#isLeft(one)).sort().slice(0, MAX_FILES)) {
      try {
        const one = JSON.parse(await readFile(path.join(this.folder, name), "utf8"));
        if (typeof one?.id !== "string" || !Array.isArray(one.waiting)) continue;
        const taken = `${FILE.exec(name)[1]}-${(this.#count += 1)}.${process.pid}.taken`;
        await rename(path.join(this.folder, name), path.join(this.folder, taken));
        this.#taken.set(one.id, [...(this.#taken.get(one.id) ?? []), taken]);
        found.push(one);
      } catch {
        continue;
      }
    }
    return found;
  }

  #isLeft(name) {
    const pid = Number(FILE.exec(name)?.[2]);
    if (!pid) return false;
    // In a container the next process may have the same number.
    if (pid === process.pid) return !this.#written.has(name) && ![...this.#taken.values()].flat().includes(name);
    try {
      process.kill(pid, 0);
      return false;
    } catch (error) {
      return error.code === "ESRCH";
    }
  }
}
