// Brings a target up to date. A copy gets its name when it was read back; where the storage has no temporary names, one that differs is
// removed again.
import { open, stat } from "node:fs/promises";
import { HubError } from "../../../kit/schema/errors.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { type CopyName, copyNameOf, parseCopyName, parsePart, partOf } from "./copy-names.ts";
import type { Copy, LocalArchive, Report, Synced, SyncJob } from "./jobs.ts";
import { otherHubs, type RetentionOptions, surplusOf } from "./retention.ts";
import { type Content, MAX_FILES, type Storage, type StoredFile } from "./storage.ts";

const READ_BYTES = 256 * 1024;
const REPORT_EVERY_BYTES = 1024 * 1024;
/** Unfinished uploads of other hubs that old are nobody's any more. */
const ABANDONED_AFTER_MS = 7 * 86_400_000;

interface Pending {
  local: LocalArchive;
  name: string;
  bytes: number;
  changedAt: number;
}

/** Throws HubError; what was done until then stays, and is found the next time. */
export async function syncTarget(storage: Storage, job: SyncJob, report: Report): Promise<Omit<Synced, "known">> {
  const { house, hub, now, target } = job;
  const keep = { daily: target.keep_daily, weekly: target.keep_weekly, monthly: target.keep_monthly };
  const retention: RetentionOptions = { keep, now, hub, spare: job.spare };
  const found = await storage.list(house);
  const locals = await pendingOf(job);
  // What is too many already goes first: it may be what fills the target.
  const removed = await removeSurplus(storage, house, surplusOf(namesOf(found), retention));
  const there = new Map(found.filter(({ name }) => !removed.includes(name)).map(({ name, bytes }) => [name, bytes]));
  const verified = new Set(job.verified.filter((name) => there.has(name)));
  const wanted = wantedOf(locals, [...there.keys()], retention);
  const unfinished = wanted.filter(({ name, bytes }) => there.get(name) !== bytes).map(({ name }) => name);
  await removeUnfinished(storage, job, { found, goesOn: new Set(unfinished) });
  for (const one of wanted) {
    const path = `${house}/${one.name}`;
    const isWhole = there.get(one.name) === one.bytes;
    if (isWhole && (verified.has(one.name) || (await isSame(storage, path, one, report)))) {
      verified.add(one.name);
      continue;
    }
    await copy(storage, path, one, report);
    verified.add(one.name);
    report({ kind: "copied", name: one.name, bytes: one.bytes });
  }
  const spare = [...job.spare, ...wanted.slice(0, 1).map(({ name }) => name)];
  const after = await storage.list(house);
  const surplus = await removeSurplus(storage, house, surplusOf(namesOf(after), { ...retention, spare }));
  const left = after.filter(({ name }) => !surplus.includes(name));
  return {
    copies: copiesIn(left),
    verified: [...verified].filter((name) => left.some((file) => file.name === name)),
    removed: [...removed, ...surplus],
    newest: wanted[0]?.name ?? null,
    others: otherHubs(namesOf(left), { hub, now }),
  };
}

/** Newest first. */
export function copiesIn(files: readonly StoredFile[]): Copy[] {
  return files
    .slice(0, MAX_FILES)
    .flatMap(({ name, bytes }) => {
      const parsed = parseCopyName(name);
      return parsed ? [{ name, at: isoSeconds(parsed.at), bytes, encrypted: parsed.encrypted }] : [];
    })
    .sort((a, b) => b.at.localeCompare(a.at) || b.name.localeCompare(a.name));
}

/** The bytes of a file in chunks of their own, as whoever sends them may hold on to them. */
function contentOf(path: string, bytes: number): Content {
  return {
    bytes,
    async *read() {
      await using file = await open(path, "r");
      for (;;) {
        const { bytesRead, buffer } = await file.read(new Uint8Array(READ_BYTES));
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    },
  };
}

/** The same chunks; says now and then how far they are. */
export async function* watched(
  chunks: AsyncIterable<Uint8Array>,
  { name, doing, bytes, report }: { name: string; doing: "sending" | "reading"; bytes: number; report: Report },
): AsyncGenerator<Uint8Array> {
  let done = 0;
  let reported = 0;
  for await (const chunk of chunks) {
    done += chunk.length;
    yield chunk;
    if (done - reported < REPORT_EVERY_BYTES) continue;
    reported = done;
    report({ kind: "moved", name, doing, done, bytes });
  }
}

async function copy(storage: Storage, path: string, one: Pending, report: Report): Promise<void> {
  const { name, bytes, local } = one;
  const place = storage.putsWhole ? path : partOf(path);
  const content = contentOf(local.path, bytes);
  let hash = new Bun.CryptoHasher("sha256");
  await storage.put(place, {
    bytes,
    async *read() {
      hash = new Bun.CryptoHasher("sha256");
      for await (const chunk of watched(content.read(), { name, doing: "sending", bytes, report })) {
        hash.update(chunk);
        yield chunk;
      }
    },
  });
  const back = await sumOf(watched(storage.get(place), { name, doing: "reading", bytes, report }));
  if (back.sha256 !== hash.digest("hex")) {
    await storage.remove(place);
    throw new HubError(
      "upstream_failed",
      `what was read back of ${name} is not what was sent: the storage, or something on the way to it, damages files`,
    );
  }
  if (place !== path) await storage.rename(place, path);
}

async function isSame(
  storage: Storage,
  path: string,
  { name, bytes, local }: Pending,
  report: Report,
): Promise<boolean> {
  const here = await sumOf(contentOf(local.path, bytes).read());
  const there = await sumOf(watched(storage.get(path), { name, doing: "reading", bytes, report }));
  return here.sha256 === there.sha256;
}

export async function sumOf(chunks: AsyncIterable<Uint8Array>): Promise<{ sha256: string; bytes: number }> {
  const hash = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest("hex"), bytes };
}

async function pendingOf({ locals, hub, target }: SyncJob): Promise<Pending[]> {
  const pending: Pending[] = [];
  for (const local of locals) {
    const name = copyNameOf(local.name, hub);
    if (name === undefined || !(name.endsWith(".age") || target.allow_unencrypted)) continue;
    const found = await stat(local.path).catch(() => undefined);
    if (found) pending.push({ local, name, bytes: found.size, changedAt: found.mtimeMs });
  }
  return pending;
}

/** The one made last, whatever its date, and those that would be kept; the newest first. */
function wantedOf(locals: readonly Pending[], there: readonly string[], retention: RetentionOptions): Pending[] {
  const newestFirst = [...locals].sort((a, b) => b.changedAt - a.changedAt);
  const all = new Set([...there, ...locals.map(({ name }) => name)]);
  const surplus = new Set(surplusOf(namesOf([...all].map((name) => ({ name }))), retention));
  return newestFirst.filter(({ name }, index) => index === 0 || !surplus.has(name));
}

/** What this hub was interrupted at and does not go on with, and what nobody finishes any more. */
async function removeUnfinished(
  storage: Storage,
  { house, hub, now }: SyncJob,
  { found, goesOn }: { found: readonly StoredFile[]; goesOn: ReadonlySet<string> },
): Promise<void> {
  const isMine = (copy: CopyName | undefined): boolean =>
    copy !== undefined && !goesOn.has(copy.name) && (copy.hub === hub || copy.at < now - ABANDONED_AFTER_MS);
  for (const { name } of found) if (isMine(parsePart(name))) await storage.remove(`${house}/${name}`);
  await storage.sweep?.(house, (name) => isMine(parseCopyName(name)));
}

async function removeSurplus(storage: Storage, house: string, names: readonly string[]): Promise<string[]> {
  for (const name of names) await storage.remove(`${house}/${name}`);
  return [...names];
}

function namesOf(files: readonly Pick<StoredFile, "name">[]): CopyName[] {
  return files.flatMap(({ name }) => parseCopyName(name) ?? []);
}
