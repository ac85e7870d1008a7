// The tools that a model sees, and the operations of Hearth behind them.

export const TOOL_MS = 5_000;
const text = (description) => ({ type: "string", description });
const whole = (description, minimum, maximum) => ({ type: "integer", minimum, maximum, description });
const takes = (properties, required = []) => ({ type: "object", additionalProperties: false, properties, required });
const TYPES =
  "decision deduction preference antipattern problem milestone handoff entity principle skill correction observation " +
  "fact relationship commitment question moment summary note daily";

// The searches that take a least score; the other kinds add fragments that have none.
const SCORED = { auto: "query", hybrid: "query", keyword: "search", semantic: "vsearch" };

/** What is `shared` may be used in groups. `calls` gives the name and the arguments of the operation. The host may hide tools behind a search: then a model
 * sees the first sentence alone, so that is where the occasions stand. */
export const TOOLS = [
  {
    name: "memory_search",
    shared: true,
    description:
      "Search memory before answering about past work, earlier sessions, decisions, people, preferences, dates, todos " +
      "or problems solved before. Finds fragments of notes, memories and past conversations, each with its docid and " +
      "path#line. Nothing found means: not in memory.",
    parameters: takes(
      {
        query: text("What to search for, in the question's own words."),
        maxResults: whole("At most so many (default 6).", 1, 50),
        minScore: { type: "number", minimum: 0, maximum: 1, description: "Leave out what scores lower; not for causal, timeline, discovery, complex." },
        mode: {
          type: "string",
          enum: "auto keyword semantic causal timeline discovery complex hybrid".split(" "),
          description: "The kind of search (default auto: by the wording).",
        },
        compact: { type: "boolean", description: "Titles and places alone." },
      },
      ["query"],
    ),
    calls: ({ query, maxResults, minScore, mode, compact }) => {
      if (!mode && !compact) return ["memory_search", defined({ query, maxResults, minScore })];
      const scored = minScore === undefined ? undefined : SCORED[mode ?? "auto"];
      if (scored) return [scored, defined({ query, limit: maxResults, min_score: minScore, compact })];
      return ["memory_retrieve", defined({ query, limit: maxResults, mode, compact })];
    },
  },
  {
    name: "memory_get",
    shared: true,
    description:
      "Read a note, memory or past conversation that memory_search, recall or a citation names, by docid (#…) or " +
      "path, whole or some lines of it.",
    parameters: takes(
      { path: text("A docid or path as given there; may end in #L3-L9."), from: whole("First line.", 1, 10_000_000), lines: whole("At most so many lines.", 1, 1_000_000) },
      ["path"],
    ),
    calls: ({ path, from, lines }) =>
      path.startsWith("#") ? ["get", defined({ reference: path, from_line: from, max_lines: lines })] : ["memory_get", defined({ path, from, lines })],
  },
  {
    name: "memory_store",
    description:
      "Remember something for later sessions when asked to remember, note or not forget it, or when a lasting decision, " +
      "preference, fact, correction or solved problem comes up. One a call, in full sentences that make sense without " +
      "this conversation. What it replaces leaves searches and is named.",
    parameters: takes(
      {
        text: text("What to remember."),
        type: { type: "string", enum: TYPES.split(" "), description: "What kind of memory (default note)." },
        title: text("Its title [default: made from the text]."),
        tags: { type: "array", items: { type: "string" } },
        subject: text("What it is about; a later memory with the same subject revises it."),
        supersedes: { type: "array", items: { type: "string" }, description: "References of what it replaces." },
      },
      ["text"],
    ),
    writes: true,
    calls: (given, session) => ["memory_store", defined({ ...given, session })],
  },
  {
    name: "hearth_timeline",
    shared: true,
    description: "Show what was written just before and after a note or memory, for what happened when, and what led to it.",
    parameters: takes({ reference: text("Its docid, path or title."), before: whole("So many before.", 0, 50), after: whole("So many after.", 0, 50) }, ["reference"]),
    calls: (given) => ["timeline", given],
  },
  {
    name: "hearth_session_log",
    description: "List past sessions for what was done last time, yesterday or where we left off, with their hand-offs.",
    parameters: takes({ limit: whole("At most so many (default 10).", 1, 100), project: text("Only of this project.") }),
    calls: (given) => ["session_log", given],
  },
  {
    name: "hearth_similar",
    shared: true,
    description: "Find notes and memories like a given one, for related, duplicate or earlier versions of it.",
    parameters: takes({ reference: text("Its docid, path or title."), limit: whole("At most so many.", 1, 50) }, ["reference"]),
    calls: (given) => ["find_similar", given],
  },
  {
    name: "memory_profile",
    description: "Show what memory knows of the user: who they are, preferences, work, habits, with sources.",
    parameters: takes({}),
    calls: (given) => ["profile", given],
  },
  {
    name: "memory_entities",
    description: "Show what memory knows of a person, project, company, tool or place by its name: facts, mentions, relations.",
    parameters: takes({ name: text("The name."), limit: whole("At most so many.", 1, 100) }, ["name"]),
    calls: (given) => ["memory_entities", given],
  },
];

function defined(given) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
}
