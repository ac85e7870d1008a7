CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE counters (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO counters VALUES ('generation', 0), ('documents', 0), ('fragments', 0), ('length', 0), ('vector_removals', 0);

CREATE TABLE collections (
    name TEXT PRIMARY KEY, root TEXT NOT NULL, scanned_at INTEGER NOT NULL,
    held TEXT, vanished INTEGER NOT NULL DEFAULT 0, settings TEXT NOT NULL, revision TEXT
) WITHOUT ROWID;

CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    docid TEXT NOT NULL UNIQUE,
    collection TEXT NOT NULL,
    path TEXT NOT NULL,
    hidden INTEGER NOT NULL DEFAULT 0,
    vanished INTEGER NOT NULL DEFAULT 0,
    content_type TEXT NOT NULL,
    dated_at INTEGER, committed_at INTEGER, committed_by TEXT,
    -- Since when and until when it is true, where that is neither its date nor open; when it leaves searches by itself.
    valid_from INTEGER, valid_to INTEGER, ends_at INTEGER,
    language TEXT NOT NULL,
    mtime_ns INTEGER NOT NULL, file_size INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, disk_path BLOB NOT NULL,
    raw_hash TEXT NOT NULL, body_hash TEXT NOT NULL,
    origin TEXT NOT NULL,
    problem TEXT,
    state TEXT,
    -- What links to it end in, its own links as the text has them, and whether the rows of "relations" are what they mean.
    stem TEXT NOT NULL, links TEXT, linked INTEGER NOT NULL,
    -- The name of its file without case, as bytes; whether its place has characters that no terminal shows.
    file BLOB NOT NULL, odd INTEGER NOT NULL,
    -- From what the rows of "relations" that it owns were derived.
    related TEXT,
    record TEXT NOT NULL,
    UNIQUE (collection, path)
);
CREATE INDEX documents_dated ON documents (dated_at, docid);
CREATE INDEX documents_body ON documents (body_hash);
CREATE INDEX documents_language ON documents (language, collection);
-- All that a scan must know of a file, apart from what the document is.
CREATE INDEX documents_files ON documents (
    collection, docid, path, mtime_ns, file_size, ctime_ns, disk_path, raw_hash, body_hash, origin, vanished,
    committed_at, committed_by
);
CREATE INDEX documents_review ON documents (record ->> 'review_by') WHERE record ->> 'review_by' IS NOT NULL;
CREATE INDEX documents_unsettled ON documents (
    collection, path, language, record ->> 'dates', record ->> 'language_guess'
) WHERE record ->> 'dates' IS NOT NULL OR record ->> 'language_guess' IS NOT NULL;
CREATE INDEX documents_misnamed ON documents (collection, path)
    WHERE record ->> 'named' IS NOT NULL AND record ->> 'named' <> docid;
CREATE INDEX documents_stem ON documents (collection, stem);
CREATE INDEX documents_unlinked ON documents (collection) WHERE NOT linked;
CREATE INDEX documents_related ON documents (related);
CREATE INDEX documents_ends ON documents (ends_at) WHERE ends_at IS NOT NULL;
CREATE INDEX documents_hidden ON documents (id) WHERE hidden OR vanished;
CREATE INDEX documents_path ON documents (path);
CREATE INDEX documents_file ON documents (file);
CREATE INDEX documents_odd ON documents (id) WHERE odd;
CREATE INDEX documents_type ON documents (content_type);

CREATE TABLE fragments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    start_byte INTEGER NOT NULL, end_byte INTEGER NOT NULL,
    headings TEXT NOT NULL,
    context TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX fragments_document ON fragments (document, seq);

-- What rescoring needs of a fragment, apart from its text so that a page holds many.
CREATE TABLE postings (
    fragment INTEGER PRIMARY KEY, document INTEGER NOT NULL, length INTEGER NOT NULL, packed BLOB NOT NULL
);
CREATE TABLE terms (
    id INTEGER PRIMARY KEY AUTOINCREMENT, term TEXT NOT NULL UNIQUE,
    df INTEGER NOT NULL, strong INTEGER NOT NULL
);
-- Holds each term id of a fragment, and again with an "s" where the term is prominent.
CREATE VIRTUAL TABLE matches USING fts5(terms, content='', contentless_delete=1, tokenize='ascii', detail=none);

-- What was derived from the document "owner". Its ends are docids: one of them may come later.
CREATE TABLE relations (
    owner INTEGER NOT NULL, origin TEXT NOT NULL, source TEXT NOT NULL, type TEXT NOT NULL, target TEXT NOT NULL,
    weight REAL NOT NULL, at INTEGER, until INTEGER, evidence TEXT
);
CREATE INDEX relations_owner ON relations (owner, origin);
CREATE INDEX relations_source ON relations (source, type);
CREATE INDEX relations_target ON relations (target, type);
-- The same, of those from the owner to a document that is there, which nothing more is to be told of: most, and so by
-- numbers. "kind" is that of "readers.relations", "weight" counts millionths.
CREATE TABLE near (
    owner INTEGER NOT NULL, kind INTEGER NOT NULL, other INTEGER NOT NULL, weight INTEGER NOT NULL, at INTEGER,
    PRIMARY KEY (owner, kind, other)
) WITHOUT ROWID;
CREATE INDEX near_other ON near (other);
-- The names in fragments as they are written, each with how many documents hold it, and by which rules a document was read.
CREATE TABLE entity_names (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL, documents INTEGER NOT NULL
);
CREATE INDEX entity_names_key ON entity_names (key);
CREATE INDEX entity_names_documents ON entity_names (documents, key);
CREATE TABLE entities (
    name INTEGER NOT NULL, document INTEGER NOT NULL, fragment INTEGER NOT NULL,
    PRIMARY KEY (name, document, fragment)
) WITHOUT ROWID;
CREATE INDEX entities_document ON entities (document);
CREATE TABLE entity_marks (document INTEGER PRIMARY KEY, mark TEXT NOT NULL);
-- Kept when its document goes, until the documents near it have looked for others. The mean of one passage is the
-- vector of that "fragment", and is not written twice.
CREATE TABLE means (
    document INTEGER PRIMARY KEY, docid TEXT NOT NULL, text TEXT NOT NULL, scale REAL NOT NULL, reach REAL,
    fragment INTEGER, vector BLOB
);
CREATE INDEX documents_project ON documents (coalesce(record ->> '$.facts.project', collection), dated_at, docid);
-- The stems of all names that the links of a document may mean.
CREATE TABLE mentions (stem TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (stem, document)) WITHOUT ROWID;
CREATE INDEX mentions_document ON mentions (document);
-- What each document is called, in the form of "text.names".
CREATE TABLE names (key TEXT NOT NULL, document INTEGER NOT NULL, PRIMARY KEY (key, document)) WITHOUT ROWID;
CREATE INDEX names_document ON names (document);
-- The same by three letters in a row, for names with slips; its rows are those of documents.
CREATE VIRTUAL TABLE spelled USING fts5(
    keys, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail=none
);
-- The state of the file where it was found to be unreadable.
CREATE TABLE skipped (
    collection TEXT NOT NULL, path TEXT NOT NULL, reason TEXT NOT NULL,
    mtime_ns INTEGER, file_size INTEGER, ctime_ns INTEGER, disk_path BLOB, shut INTEGER NOT NULL
);

CREATE TABLE vectors (
    space TEXT NOT NULL, fragment INTEGER NOT NULL, document INTEGER NOT NULL, scale REAL NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (space, fragment)
) WITHOUT ROWID;
CREATE INDEX vectors_fragment ON vectors (fragment);
CREATE TABLE failures (
    space TEXT NOT NULL, fragment INTEGER NOT NULL, tries INTEGER NOT NULL, error TEXT NOT NULL,
    PRIMARY KEY (space, fragment)
) WITHOUT ROWID;
CREATE INDEX failures_fragment ON failures (fragment);

-- The journal, folded.
CREATE TABLE registers (
    subject TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL,
    hlc INTEGER NOT NULL, machine TEXT NOT NULL, event TEXT NOT NULL,
    PRIMARY KEY (subject, field)
) WITHOUT ROWID;
CREATE INDEX registers_value ON registers (field, value);
CREATE TABLE members (
    subject TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (subject, name, key)
) WITHOUT ROWID;
