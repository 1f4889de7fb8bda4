// Sends a file to S3: a large one in parts. Parts that an earlier try has brought there are kept where their sums are right, so a line
// that breaks each hour still gets a large backup through.
import { HubError } from "../../../../kit/schema/errors.ts";
import { sleep, systemClock } from "../../../../kit/time/clock.ts";
import type { Content } from "../storage.ts";
import type { S3Requests } from "./s3-requests.ts";
import { textsOf } from "./xml.ts";

const MIB = 1024 * 1024;
const PART_BYTES = 8 * MIB;
/** A service takes 10,000. */
const MAX_PARTS = 9000;
const TRIES = 3;
const PAUSE_MS = 200;
/** More were begun for one file only if something else is wrong. */
const MAX_BEGUN = 10;

interface Begun {
  id: string;
  /** What the service gave for each part, by its number: the MD5 of its bytes, unless it encrypts with keys of its own. */
  etags: Map<number, string>;
}

export interface UnfinishedUpload {
  key: string;
  id: string;
}

/** Throws HubError; what was sent until then is kept for the next time. */
export async function upload(s3: S3Requests, key: string, { bytes, read }: Content): Promise<void> {
  const partBytes = Math.max(PART_BYTES, Math.ceil(bytes / MAX_PARTS / MIB) * MIB);
  if (bytes <= partBytes) {
    for await (const all of partsOf(read(), partBytes)) await sendPart(s3, { key, part: all });
    return;
  }
  const { id: uploadId, etags: kept } = (await begunBefore(s3, key)) ?? { id: await begin(s3, key), etags: new Map() };
  const etags: string[] = [];
  for await (const part of partsOf(read(), partBytes)) {
    const number = etags.length + 1;
    const before = kept.get(number);
    const isThere = before !== undefined && before === md5Of(part).toString("hex");
    const query = { partNumber: String(number), uploadId };
    etags.push(isThere ? before : await sendPart(s3, { key, part, query }));
  }
  const list = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>"${etag}"</ETag></Part>`);
  const body = `<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`;
  await s3.ask({ method: "POST", key, query: { uploadId }, body });
}

/** Some services know no such list: then it is empty. */
export async function unfinishedUploads(s3: S3Requests, prefix: string): Promise<UnfinishedUpload[]> {
  const text = await s3.ask({ method: "GET", query: { uploads: "", prefix } }).catch(() => "");
  return textsOf(text, "Upload", ["Key", "UploadId"]).flatMap(([key = "", id = ""]) =>
    key.startsWith(prefix) && id !== "" ? [{ key, id }] : [],
  );
}

/** The one with the most parts. */
async function begunBefore(s3: S3Requests, key: string): Promise<Begun | undefined> {
  const same = (await unfinishedUploads(s3, key)).filter((one) => one.key === key);
  let most: Begun | undefined;
  for (const { id } of same.slice(0, MAX_BEGUN)) {
    const etags = await partsThere(s3, key, id).catch(() => new Map<number, string>());
    if (etags.size > (most?.etags.size ?? 0)) most = { id, etags };
  }
  return most;
}

async function partsThere(s3: S3Requests, key: string, uploadId: string): Promise<Map<number, string>> {
  const etags = new Map<number, string>();
  for (let after = "0"; ; ) {
    const text = await s3.ask({ method: "GET", key, query: { uploadId, "part-number-marker": after } });
    const found = textsOf(text, "Part", ["PartNumber", "ETag"]);
    for (const [number, etag = ""] of found) etags.set(Number(number), plain(etag));
    const [[isTruncated, next] = []] = textsOf(text, "ListPartsResult", ["IsTruncated", "NextPartNumberMarker"]);
    if (isTruncated !== "true" || next === undefined || found.length === 0) return etags;
    after = next;
  }
}

async function begin(s3: S3Requests, key: string): Promise<string> {
  const text = await s3.ask({ method: "POST", key, query: { uploads: "" } });
  const [[id = ""] = []] = textsOf(text, "InitiateMultipartUploadResult", ["UploadId"]);
  if (id === "") throw new HubError("upstream_failed", "the service begins no upload in parts");
  return id;
}

interface SentPart {
  key: string;
  part: Uint8Array<ArrayBuffer>;
  query?: Record<string, string>;
}

/** Resolves with its ETag. */
async function sendPart(s3: S3Requests, { key, part, query = {} }: SentPart): Promise<string> {
  const headers = { "content-md5": md5Of(part).toString("base64") };
  for (let tries = 1; ; tries++) {
    try {
      const answer = await s3.send({ method: "PUT", key, query, headers, body: part, isTransfer: true });
      await answer.body?.cancel();
      return plain(answer.headers.get("etag") ?? "");
    } catch (error) {
      if (tries >= TRIES || !isPassing(error)) throw error;
      await sleep(systemClock, "s3-part", PAUSE_MS * 2 ** tries);
    }
  }
}

/** What may be otherwise in a moment: a busy service, a line that was cut. */
function isPassing(error: unknown): boolean {
  const status = error instanceof HubError ? (error.details as { status?: number } | undefined)?.status : undefined;
  return status === undefined || status >= 500 || status === 429;
}

/** The bytes in parts of that size; each is good until the next is asked for. An empty file is one part. */
async function* partsOf(chunks: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(size);
  let filled = 0;
  let isEmpty = true;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const some = chunk.subarray(at, at + size - filled);
      part.set(some, filled);
      filled += some.length;
      at += some.length;
      if (filled < size) continue;
      yield part;
      [filled, isEmpty] = [0, false];
    }
  }
  if (filled > 0 || isEmpty) yield part.slice(0, filled);
}

function md5Of(part: Uint8Array): Buffer {
  return new Bun.CryptoHasher("md5").update(part).digest();
}

function plain(etag: string): string {
  return etag.replaceAll('"', "").replaceAll("&quot;", "");
}
