// Turns that wait for a dead daemon, on disk: the end of the gateway does not take them along.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const SUFFIX = ".json";
const MAX_FILES = 500;

/** A file a session in a folder of the host's state, for its owner alone. Without a folder nothing is written. */
export class WaitingTurns {
  #written = new Set();

  constructor(folder) {
    this.folder = folder;
  }

  #file(session) {
    return path.join(this.folder, createHash("sha256").update(session.id).digest("hex").slice(0, 32) + SUFFIX);
  }

  /** Writes what waits of a session; takes its file away once nothing does. */
  async settle(session) {
    if (!this.folder) return;
    const file = this.#file(session);
    if (!session.waiting.length) {
      if (this.#written.delete(file)) await rm(file, { force: true });
      return;
    }
    const { id, prefix, name, since, waiting } = session;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const half = `${file}.${process.pid}.half`;
    await writeFile(half, JSON.stringify({ id, prefix, name, since, waiting }), { mode: 0o600 });
    await rename(half, file);
    this.#written.add(file);
  }

  /** What an earlier process left: sessions by their ids. A file that can't be read stays where it is. */
  async left() {
    const found = [];
    const names = this.folder ? await readdir(this.folder).catch(() => []) : [];
    for (const name of names.filter((one) => one.endsWith(SUFFIX)).slice(0, MAX_FILES)) {
      const file = path.join(this.folder, name);
      try {
        const one = JSON.parse(await readFile(file, "utf8"));
        if (typeof one?.id !== "string" || !Array.isArray(one.waiting)) continue;
        this.#written.add(file);
        found.push(one);
      } catch {
        continue;
      }
    }
    return found;
  }
}
