// A hub that has stopped serves its standby from its files, until that one has everything; then the standby is to be the hub.
// What the two say to each other beyond the copy is in one header: see HAND_OVER_HEADER.
import { timingSafeEqual } from "node:crypto";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { parseJson } from "../../../kit/schema/json.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { readAnswer } from "../copy/answer.ts";
import { checked, HistoryRequest, NOT_ASKED, SyncRequest } from "../protocol.ts";
import type { SourceClient } from "../source/client.ts";

/** The hub: `begun` while it hands over, `done` when the standby may take over. The standby: `complete` where it had all there was. */
export const HAND_OVER_HEADER = "hub-hand-over";

export interface HandOverOptions {
  source: SourceClient;
  key: string;
  epoch: number;
  /** This machine is the hub no longer, also after a power cut. */
  giveUp(): Promise<void>;
  withinMs: number;
  clock: Clock;
  log: Log;
}

export interface HandOver extends AsyncDisposable {
  /** Undefined for what is not for it. */
  answer(request: Request, path: string): Promise<Response> | undefined;
  /** False where the standby did not get everything in time: then this machine is the hub as before. */
  readonly done: Promise<boolean>;
}

const MAX_BODY_BYTES = 64 * 1_048_576;
/** Larger ones hold something. */
const EMPTY_BYTES = 65_536;

export function openHandOver(options: HandOverOptions): HandOver {
  const { source, key, epoch, clock, log } = options;
  const done = Promise.withResolvers<boolean>();
  let turn = 0;
  let givenUp: Promise<void> | undefined;
  let isLate = false;
  const timer = clock.after("hand-over", options.withinMs, () => {
    isLate = givenUp === undefined;
    if (isLate) done.resolve(false);
  });

  async function sync(request: Request): Promise<Response> {
    const body = checked(SyncRequest, await bodyOf(request), NOT_ASKED);
    const answer = await source.sync(body, { turn: ++turn, epoch });
    const hasAll = request.headers.get(HAND_OVER_HEADER) === "complete" && isEmpty(answer.bytes);
    if (hasAll && !isLate) {
      givenUp ??= giveUp();
      await givenUp;
    }
    return binary(answer.bytes, hasAll && givenUp !== undefined ? "done" : "begun");
  }

  async function giveUp(): Promise<void> {
    await options.giveUp();
    done.resolve(true);
  }

  async function history(request: Request): Promise<Response> {
    return binary(await source.history(checked(HistoryRequest, await bodyOf(request), NOT_ASKED)), "begun");
  }

  const routes: Record<string, (request: Request) => Promise<Response>> = {
    "/api/v1/standby/sync": sync,
    "/api/v1/standby/history": history,
  };
  return {
    done: done.promise,
    answer(request, path) {
      const route = request.method === "POST" && Object.hasOwn(routes, path) ? routes[path] : undefined;
      if (!route) return undefined;
      if (!hasKey(request, key)) return Promise.resolve(refusal(401, "this is not the key of the standby"));
      return route(request).catch((error: unknown) => {
        log.warn("the standby cannot be answered", { error: messageOf(error) });
        return refusal(503, messageOf(error));
      });
    },
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]();
      done.resolve(false);
      await source[Symbol.asyncDispose]();
    },
  };
}

export function hasKey(request: Request, key: string): boolean {
  const given = Buffer.from(/^Bearer (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "");
  const own = Buffer.from(key);
  return given.length === own.length && own.length > 0 && timingSafeEqual(given, own);
}

/** Whether it brings nothing that the standby has not said that it has. */
function isEmpty(bytes: Uint8Array): boolean {
  if (bytes.length > EMPTY_BYTES) return false;
  const { journals, pages, files, gone, asked, end } = readAnswer(bytes);
  return journals.length + files.length + gone.length + asked.size === 0 && !pages && !end.more;
}

async function bodyOf(request: Request): Promise<unknown> {
  const length = Number(request.headers.get("content-length"));
  if (!(length <= MAX_BODY_BYTES)) throw new HubError("too_large", "the body is too large");
  const parsed = parseJson(await request.text());
  if (!parsed.ok) throw new HubError("invalid", "the body is not JSON");
  return parsed.value;
}

function binary(bytes: Uint8Array, said: "begun" | "done"): Response {
  const headers = { "content-type": "application/octet-stream", "cache-control": "no-store", [HAND_OVER_HEADER]: said };
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
}

function refusal(status: number, detail: string): Response {
  return Response.json({ status, detail }, { status, headers: { "content-type": "application/problem+json" } });
}
