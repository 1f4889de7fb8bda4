// A small standby: keeps a copy of a home in a folder, as the answers to its requests say.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { contentHash, fileHash, pageHashes, pageSizeOf, stateId } from "../../src/copies/standby/hashes.ts";
import {
  decodeRecords,
  type EndHead,
  type Head,
  type SyncRecord,
  type SyncRequest,
} from "../../src/copies/standby/protocol.ts";

export interface AssembledCopy {
  readonly root: string;
  readonly stateDb: string;
  /** What the last answers said, without their content. */
  heads: Head[];
  /** Compressed bytes of all answers so far. */
  bytes: number;
  /** The next request. */
  request(): SyncRequest;
  /** Applies an answer; false where it has to ask again at once. Throws where the copy is not what the answer says. */
  apply(answer: Uint8Array): boolean;
  /** Forgets what it was commanded, and says what it has, as after a restart of the hub. */
  forget(): void;
}

/** Asks until the copy is whole. */
export async function syncWhole(
  copy: AssembledCopy,
  ask: (request: SyncRequest) => Promise<Uint8Array> | Uint8Array,
): Promise<void> {
  copy.heads = [];
  for (let tries = 0; tries < 20; tries++) if (copy.apply(await ask(copy.request()))) return;
  throw new Error("the copy does not become whole");
}

export function assembleCopy(root: string, machine = { id: "standby-1", name: "attic", address: "" }): AssembledCopy {
  const stateDb = join(root, "data", "state.redb");
  const journals = join(root, "data", "readings");
  const files = new Map<string, string>();
  let end: Pick<EndHead, "state" | "files"> = { state: undefined, files: undefined };
  let asked: ("pages" | "list")[] = [];
  let turn: number | undefined;

  function put(path: string, content: Uint8Array, mode = 0o600): void {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode });
  }

  function applyJournal(path: string, from: number, content: Uint8Array): void {
    const before = from > 0 ? readFileSync(join(root, path)).subarray(0, from) : new Uint8Array(0);
    if (before.length !== from) throw new Error(`${path} is too short`);
    put(path, Buffer.concat([before, content]));
  }

  function applyPages({ pageSize, count, numbers }: Extract<Head, { kind: "pages" }>, content: Uint8Array): void {
    const whole = Buffer.alloc(count * pageSize);
    if (existsSync(stateDb)) readFileSync(stateDb).copy(whole);
    for (const [index, number] of numbers.entries())
      whole.set(content.subarray(index * pageSize, (index + 1) * pageSize), number * pageSize);
    put("data/state.redb", whole);
    truncateSync(stateDb, count * pageSize);
  }

  function applyOne({ head, content }: SyncRecord, named: Set<string>): void {
    if (head.kind === "begin") turn = head.turn;
    else if (head.kind === "pages") applyPages(head, content);
    else if (head.kind === "ask") asked = head.what;
    else if (head.kind === "keep") for (const path of head.paths) named.add(path);
    else if (head.kind === "journal") {
      named.add(head.path);
      applyJournal(head.path, head.from, content);
    } else if (head.kind === "file") {
      put(head.path, content, head.mode);
      files.set(head.path, fileHash(content, head.mode));
    } else if (head.kind === "gone") {
      rmSync(join(root, head.path));
      files.delete(head.path);
    }
  }

  function checkState(state: string | undefined): void {
    if (state === undefined) return;
    const content = readFileSync(stateDb);
    const found = stateId(pageHashes(content, pageSizeOf(content)));
    if (found !== state) throw new Error(`the copy of the state database is ${found} instead of ${state}`);
  }

  const segments = (): string[] => (existsSync(journals) ? readdirSync(journals) : []);
  const has = (): SyncRequest["have"] => ({
    ...(end.state !== undefined && { state: end.state }),
    ...(end.files !== undefined && { files: end.files }),
    ...(asked.includes("list") && { list: Object.fromEntries(files) }),
    ...(asked.includes("pages") && { pages: pagesOf(stateDb) }),
    journals: Object.fromEntries(
      segments().map((name) => {
        const content = readFileSync(join(journals, name));
        return [`data/readings/${name}`, { bytes: content.length, hash: contentHash(content) }];
      }),
    ),
  });

  const copy: AssembledCopy = {
    root,
    stateDb,
    heads: [],
    bytes: 0,
    request: () => ({ machine, version: "1", ...(turn !== undefined && { turn }), promiseMs: 5000, have: has() }),
    apply(answer) {
      copy.bytes += answer.length;
      const named = new Set<string>();
      const records = [...decodeRecords(Bun.zstdDecompressSync(answer as Uint8Array<ArrayBuffer>))];
      const last = records.at(-1)?.head;
      if (last?.kind !== "end") throw new Error("the answer has no end");
      asked = [];
      for (const record of records) applyOne(record, named);
      for (const name of segments()) if (!named.has(`data/readings/${name}`)) rmSync(join(journals, name));
      copy.heads.push(...records.map(({ head }) => head));
      checkState(last.state);
      end = { state: last.state ?? end.state, files: last.files ?? end.files };
      return asked.length === 0 && !last.more;
    },
    forget() {
      end = { state: "0000000000000000", files: "0000000000000000" };
    },
  };
  return copy;
}

function pagesOf(stateDb: string): string {
  const content = existsSync(stateDb) && statSync(stateDb).size > 0 ? readFileSync(stateDb) : undefined;
  return content ? Buffer.from(pageHashes(content, pageSizeOf(content))).toString("base64") : "";
}
