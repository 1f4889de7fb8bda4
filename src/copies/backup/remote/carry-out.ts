// Carries out one job at a target: on the backup's thread, or in a command.
import { mkdir, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { RESERVE_BYTES, requireSpace } from "../../../kit/files/free-space.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import type { BackupTarget } from "./config.ts";
import { isHouseName, partOf } from "./copy-names.ts";
import type { FetchJob, HouseCopies, Job, JobResults, OpenJob, Report, TryJob } from "./jobs.ts";
import type { OpenOptions, Storage, StoredFile } from "./storage.ts";
import { copiesIn, sumOf, syncTarget, watched } from "./sync.ts";

const MAX_HOUSES = 100;
const TEST_BYTES = 4096;

/** For every job but `open`. Throws HubError that says what is wrong with the target. */
export async function carryOut<K extends Exclude<Job["kind"], "open">>(
  job: Extract<Job, { kind: K }>,
  report: Report,
): Promise<JobResults[K]> {
  return (await resultOf(job, report)) as JobResults[K];
}

async function resultOf(job: Job, report: Report): Promise<JobResults[Exclude<Job["kind"], "open">]> {
  const known = { ...job.known };
  await using storage = await opened(job, known);
  switch (job.kind) {
    case "sync":
      return { ...(await syncTarget(storage, job, report)), known };
    case "look":
      return await look(storage);
    case "try":
      await tryOut(storage, job);
      return { known };
    case "fetch":
      return await fetchCopy(storage, job, report);
    case "open":
      throw new Error("a copy is opened by openCopy");
  }
}

/** A copy that is read bit by bit; `bytes` is its size. Whoever reads it disposes it. */
export async function openCopy(job: OpenJob): Promise<{ bytes: number; chunks: AsyncGenerator<Uint8Array> }> {
  const storage = await opened(job, { ...job.known });
  try {
    const { bytes } = await sizeOf(storage, job.path);
    return { bytes, chunks: readAndClose(storage, job.path) };
  } catch (error) {
    await storage[Symbol.asyncDispose]();
    throw error;
  }
}

async function opened({ target, root, kind }: Job, known: Job["known"]): Promise<Storage> {
  return openStorage(target, { resolve: (path) => resolve(root, path), known, isTest: kind === "try" });
}

async function look(storage: Storage): Promise<HouseCopies[]> {
  const houses = (await storage.folders()).filter(isHouseName).slice(0, MAX_HOUSES);
  const found: HouseCopies[] = [];
  for (const house of houses) found.push({ house, copies: copiesIn(await storage.list(house)) });
  return found
    .filter(({ copies }) => copies.length > 0)
    .sort((a, b) => (b.copies[0]?.at ?? "").localeCompare(a.copies[0]?.at ?? ""));
}

async function tryOut(storage: Storage, { house, hub }: TryJob): Promise<void> {
  const path = `${house}/hub-test-${hub}`;
  const content = crypto.getRandomValues(new Uint8Array(TEST_BYTES));
  const place = storage.putsWhole ? path : partOf(path);
  await storage.put(place, {
    bytes: content.length,
    async *read() {
      yield content;
    },
  });
  if (place !== path) await storage.rename(place, path);
  const [sent, back] = [new Bun.CryptoHasher("sha256").update(content).digest("hex"), await sumOf(storage.get(path))];
  await storage.remove(path);
  if (back.sha256 !== sent)
    throw new HubError("upstream_failed", "what was read back is not what was sent: the storage damages files");
}

async function fetchCopy(storage: Storage, { path, file }: FetchJob, report: Report): Promise<StoredFile> {
  const { name, bytes } = await sizeOf(storage, path);
  requireSpace(dirname(file), bytes + RESERVE_BYTES, `downloading ${name}`);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await using out = await open(file, "wx", 0o600);
  let got = 0;
  for await (const chunk of watched(storage.get(path), { name, doing: "reading", bytes, report })) {
    for (let at = 0; at < chunk.length; ) at += (await out.write(chunk, at)).bytesWritten;
    got += chunk.length;
  }
  await out.sync();
  if (got !== bytes) throw new HubError("upstream_failed", `${name} ended after ${got} of ${bytes} bytes: try again`);
  return { name, bytes };
}

async function sizeOf(storage: Storage, path: string): Promise<StoredFile> {
  const [folder = "", wanted = ""] = path.split("/");
  const found = (await storage.list(folder)).find(({ name }) => name === wanted);
  if (!found) throw new HubError("not_found", `there is no copy ${wanted} in ${folder} at this target`);
  return found;
}

async function* readAndClose(storage: Storage, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* storage.get(path);
  } catch (error) {
    throw error instanceof HubError ? error : new HubError("upstream_failed", messageOf(error));
  } finally {
    await storage[Symbol.asyncDispose]();
  }
}

/** Each kind is loaded when it is opened. Throws HubError `upstream_failed`. */
async function openStorage(target: BackupTarget, options: OpenOptions): Promise<Storage> {
  switch (target.type) {
    case "s3":
      return (await import("./storages/s3.ts")).openS3(target, options);
    case "webdav":
      return (await import("./storages/webdav.ts")).openWebdav(target, options);
    case "sftp":
      return (await import("./storages/sftp.ts")).openSftp(target, options);
    case "folder":
      return (await import("./storages/folder.ts")).openFolder(target, options);
  }
}
