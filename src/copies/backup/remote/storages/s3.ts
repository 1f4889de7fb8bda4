// S3 and what speaks it: objects appear when they are whole, large ones are sent in parts.
import type { Static } from "@sinclair/typebox";
import { HubError } from "../../../../kit/schema/errors.ts";
import { addressOf, type S3Target, trimmed } from "../config.ts";
import { MAX_FILES, type OpenOptions, type Storage } from "../storage.ts";
import { inWords, openS3Requests } from "./s3-requests.ts";
import { unfinishedUploads, upload } from "./s3-upload.ts";
import { textsOf } from "./xml.ts";

const PAGE = "1000";

export async function openS3(target: Static<typeof S3Target>, options: OpenOptions): Promise<Storage> {
  const s3 = await openS3Requests(target, options);
  const prefix = trimmed(target.prefix);
  const keyOf = (path: string): string => [prefix, path].filter((part) => part !== "").join("/");

  /** Hands each page of a listing to `each`, which says how much is in it. */
  async function pages(folder: string, each: (page: string) => number): Promise<void> {
    const under = keyOf(folder);
    const query: Record<string, string> = { "list-type": "2", delimiter: "/", "max-keys": PAGE };
    query.prefix = under === "" ? "" : `${under}/`;
    let found = 0;
    for (;;) {
      const page = await s3.ask({ method: "GET", query });
      found += each(page);
      if (found > MAX_FILES)
        throw new HubError(
          "upstream_failed",
          `${addressOf(target)} holds more than ${MAX_FILES} objects: give the copies a prefix of their own`,
        );
      const [[isTruncated, token] = []] = textsOf(page, "ListBucketResult", ["IsTruncated", "NextContinuationToken"]);
      if (isTruncated !== "true" || token === undefined) return;
      query["continuation-token"] = token;
    }
  }

  return {
    putsWhole: true,
    async folders() {
      const names: string[] = [];
      await pages("", (page) => {
        const prefixes = textsOf(page, "CommonPrefixes", ["Prefix"]);
        names.push(...prefixes.map(([path = ""]) => path.split("/").at(-2) ?? ""));
        return prefixes.length + textsOf(page, "Contents", ["Key"]).length;
      });
      return names;
    },
    async list(folder) {
      const files: { name: string; bytes: number }[] = [];
      await pages(folder, (page) => {
        const contents = textsOf(page, "Contents", ["Key", "Size"]);
        files.push(
          ...contents.map(([key = "", size]) => ({ name: key.split("/").at(-1) ?? "", bytes: Number(size) || 0 })),
        );
        return contents.length;
      });
      return files;
    },
    put: (path, content) => upload(s3, keyOf(path), content),
    async *get(path) {
      const answer = await s3.send({ method: "GET", key: keyOf(path), isTransfer: true });
      try {
        yield* (answer.body ?? []) as AsyncIterable<Uint8Array>;
      } catch (error) {
        throw inWords(target, error);
      }
    },
    rename: () => Promise.reject(new Error("objects are not renamed")),
    async remove(path) {
      const answer = await s3.send({ method: "DELETE", key: keyOf(path) });
      await answer.body?.cancel();
    },
    async sweep(folder, isMine) {
      const under = `${keyOf(folder)}/`;
      for (const { key, id } of await unfinishedUploads(s3, under))
        if (isMine(key.slice(under.length)))
          await s3.ask({ method: "DELETE", key, query: { uploadId: id } }).catch(() => {});
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
