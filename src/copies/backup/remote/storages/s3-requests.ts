// Signed requests to S3 and what speaks it, and what it refuses in words.
import type { Static } from "@sinclair/typebox";
import { HubError, messageOf, systemCode } from "../../../../kit/schema/errors.ts";
import { addressOf, type S3Target } from "../config.ts";
import type { OpenOptions } from "../storage.ts";
import { drop, textOf, trustOf } from "./http.ts";
import { isUntrusted, networkWords } from "./network-words.ts";

type Target = Static<typeof S3Target>;
type Query = Readonly<Record<string, string>>;

export interface S3Request {
  method: "GET" | "PUT" | "POST" | "DELETE";
  /** Absent for the bucket itself. */
  key?: string;
  query?: Query;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array<ArrayBuffer> | string;
  /** It may take as long as it moves. */
  isTransfer?: boolean;
}

export interface S3Requests {
  /** Throws HubError for whatever is not done: `not_found` for an object that is not there. */
  send(request: S3Request): Promise<Response>;
  /** The answer's text. */
  ask(request: S3Request): Promise<string>;
}

const ANSWER_WITHIN_MS = 60_000;
const MAX_TEXT = 32 * 1024 * 1024;

export async function openS3Requests(target: Target, { resolve }: Pick<OpenOptions, "resolve">): Promise<S3Requests> {
  const { AwsClient } = await import("aws4fetch");
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, region } = target;
  const signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3" });
  const address = addressOf(target);
  const trust = trustOf(target, { resolve, address });
  const root = rootOf(target);

  async function send({ method, key = "", query = {}, headers = {}, body, isTransfer = false }: S3Request) {
    const path = key.split("/").map(encodeURIComponent).join("/");
    const search = new URLSearchParams(query).toString();
    try {
      const request = await signer.sign(`${root}/${path}${search === "" ? "" : `?${search}`}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { "x-amz-content-sha256": sha256Of(body) }) },
        ...(body !== undefined && { body }),
      });
      // Not signed: what stands between may change it.
      request.headers.set("accept-encoding", "identity");
      const answer = await fetch(request, {
        ...trust,
        redirect: "manual",
        ...(isTransfer ? {} : { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }),
      });
      if (answer.ok) return answer;
      throw refusalOf(target, answer.status, await textOf(answer, { most: MAX_TEXT, address }));
    } catch (error) {
      throw inWords(target, error);
    }
  }

  return {
    send,
    async ask(request) {
      const answer = await send(request);
      try {
        const text = await textOf(answer, { most: MAX_TEXT, address });
        // What takes long is answered with 200 before it is known how it ends.
        if (/<Error>/.test(text)) throw refusalOf(target, answer.status, text);
        return text;
      } catch (error) {
        await drop(answer).catch(() => {});
        throw inWords(target, error);
      }
    },
  };
}

/** The bucket as a part of the path, or of the host. */
function rootOf({ endpoint, region, bucket, path_style }: Target): string {
  const address = endpoint?.replace(/\/$/, "") ?? `https://s3.${region}.amazonaws.com`;
  return path_style ? `${address}/${encodeURIComponent(bucket)}` : address.replace("://", `://${bucket}.`);
}

function sha256Of(body: Uint8Array | string): string {
  return new Bun.CryptoHasher("sha256").update(body).digest("hex");
}

const ELSEWHERE = "the bucket is elsewhere: correct `endpoint` and `region`";
const FULL = "the storage is full";
const MENDS: Readonly<Record<string, string>> = {
  NoSuchBucket: "there is no such bucket: make it there, or correct `bucket`",
  AccessDenied: "the key may not do that: give it the right to list, read, write and delete in this bucket",
  InvalidAccessKeyId: "the service does not know this access_key_id",
  SignatureDoesNotMatch: "secret_access_key is wrong (or `region` is)",
  AuthorizationHeaderMalformed: "`region` is wrong",
  PermanentRedirect: ELSEWHERE,
  TemporaryRedirect: ELSEWHERE,
  RequestTimeTooSkewed: "this machine's clock is wrong",
  QuotaExceeded: FULL,
  XMinioStorageFull: FULL,
};

function refusalOf(target: Target, status: number, text: string): HubError {
  const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? "";
  if (code === "NoSuchKey") return new HubError("not_found", `it is not in ${addressOf(target)}`);
  const said = /<Message>([^<]{1,200})/.exec(text)?.[1] ?? `it answers with the status ${status}`;
  const mend = MENDS[code] ?? (code === "" ? said : `${code}: ${said}`);
  return new HubError("upstream_failed", `${addressOf(target)}: ${mend}`, { details: { status } });
}

export function inWords(target: Target, error: unknown): HubError {
  if (error instanceof HubError) return error;
  const code = systemCode(error) ?? (error instanceof Error ? error.name : "");
  const mend = isUntrusted(code) ? ": save the one that signed it as a file, and name that as tls_ca" : "";
  const words = networkWords(code);
  const said = words === undefined ? messageOf(error).slice(0, 200) : words + mend;
  return new HubError("upstream_failed", `${addressOf(target)}: ${said}`, { cause: error });
}
