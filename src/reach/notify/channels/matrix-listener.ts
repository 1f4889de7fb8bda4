// Receives who reacts to a room's messages that wait for an answer, over the homeserver's sync: a long poll that brings the reactions of
// this one room and nothing else. What came while nobody listened is asked for with each message. Reactions are never encrypted.
import { messageOf } from "../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../kit/schema/json.ts";
import { createBackoff } from "../../../kit/time/backoff.ts";
import { sleep } from "../../../kit/time/clock.ts";
import { type ChannelDeps, DeliveryError, type Inbox } from "../channel.ts";
import type { PostAnswer } from "../http/web-service.ts";
import { type Annotation, actionOf, annotationIn } from "./matrix-reactions.ts";

export interface ListenedRoom {
  readonly room: string;
  /** Whether this channel has sent that event just now, so that the hub may not know its name yet. */
  isRecent(event: string): boolean;
  /** GET of a path below `/_matrix/client/`. Rejects with a DeliveryError where no answer comes. */
  read(path: string, signal: AbortSignal): Promise<PostAnswer>;
  /** The error of a refusal. */
  failureOf(answer: PostAnswer): DeliveryError;
}

const POLL_MS = 30_000;
/** A connection that says nothing for this long is dead. */
const WITHIN_MS = 45_000;
const EARLY_POLL_MS = 2000;
const EARLY_ROUNDS = 15;
const MAX_EVENTS = 20;
const MAX_RELATIONS = 50;
const MAX_ASKED = 100;
const MAX_NAME = 100;
const NOTHING = { not_types: ["*"] };

interface Synced {
  readonly next: string;
  readonly annotations: readonly Annotation[];
  /** There were more than it reports. */
  readonly limited: boolean;
}

export function listenToRoom(
  listened: ListenedRoom,
  inbox: Inbox,
  { clock, log, random }: ChannelDeps,
): AsyncDisposable {
  const ending = new AbortController();
  const { signal } = ending;
  const inRoom = `v3/rooms/${encodeURIComponent(listened.room)}`;
  const backoff = createBackoff({ firstMs: 1000, maxMs: 120_000 }, random);
  let self: string | undefined;
  let since: string | undefined;
  let complaint: string | undefined;
  /** Reactions to messages whose sending is not over yet, and how often they were looked at. */
  let early: { annotation: Annotation; rounds: number }[] = [];

  async function ask(path: string): Promise<PostAnswer> {
    const late = new AbortController();
    using _timer = clock.after("matrix-sync", WITHIN_MS, () => late.abort());
    return listened.read(path, AbortSignal.any([signal, late.signal]));
  }

  async function need(path: string): Promise<JsonObject> {
    const answer = await ask(path);
    if (answer.status === 200 && answer.json) return answer.json;
    throw listened.failureOf(answer);
  }

  async function sync(timeout: number): Promise<Synced> {
    const room = { rooms: [listened.room], state: NOTHING, ephemeral: NOTHING, account_data: NOTHING };
    // At first only the place is asked for: what came before is found with each message.
    const timeline = since === undefined ? NOTHING : { types: ["m.reaction"], limit: MAX_EVENTS };
    const filter = JSON.stringify({ presence: NOTHING, account_data: NOTHING, room: { ...room, timeline } });
    const how = { filter, timeout: String(timeout), set_presence: "offline", ...(since !== undefined && { since }) };
    const json = await need(`v3/sync?${new URLSearchParams(how)}`);
    const { next_batch: next } = json;
    if (typeof next !== "string")
      throw new DeliveryError("the Matrix server's sync has no next_batch", { transient: true });
    const found = timelineIn(json, listened.room);
    return { next, annotations: annotationsIn(found.events), limited: found.limited === true };
  }

  /** What came before, or while too much came at once. */
  async function lookAtAll(): Promise<void> {
    for (const remote of inbox.waiting().slice(-MAX_ASKED)) {
      const path = `v1/rooms/${encodeURIComponent(listened.room)}/relations/${encodeURIComponent(remote)}/m.annotation/m.reaction`;
      const answer = await ask(`${path}?limit=${MAX_RELATIONS}`);
      // The event is gone, or the server is older than these questions.
      if (answer.status === 404 || answer.status === 400) continue;
      if (answer.status !== 200) throw listened.failureOf(answer);
      // The newest come first.
      for (const annotation of annotationsIn(answer.json?.chunk).toReversed()) await receive(annotation);
    }
  }

  /** True unless the hub does not know the message yet. */
  async function receive(annotation: Annotation): Promise<boolean> {
    const { event, key, sender } = annotation;
    if (sender === self) return true;
    if (!inbox.waiting().includes(event)) return !listened.isRecent(event);
    const action = actionOf(key, inbox.actions(event));
    if (action !== undefined) await inbox.answered({ remote: event, action, by: await nameOf(sender) });
    return true;
  }

  async function receiveAll(annotations: readonly Annotation[]): Promise<void> {
    const again = early;
    early = [];
    for (const { annotation, rounds } of again)
      if (!(await receive(annotation)) && rounds < EARLY_ROUNDS) early.push({ annotation, rounds: rounds + 1 });
    for (const annotation of annotations)
      if (!(await receive(annotation)) && early.length < MAX_EVENTS) early.push({ annotation, rounds: 0 });
  }

  /** As the room calls the person. */
  async function nameOf(sender: string): Promise<string> {
    const answer = await ask(`${inRoom}/state/m.room.member/${encodeURIComponent(sender)}`).catch(() => undefined);
    const name = answer?.status === 200 ? answer.json?.displayname : undefined;
    return typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, MAX_NAME) : sender;
  }

  async function round(): Promise<void> {
    self ??= String((await need("v3/account/whoami")).user_id);
    const isFirst = since === undefined;
    const { next, annotations, limited } = await sync(isFirst ? 0 : early.length > 0 ? EARLY_POLL_MS : POLL_MS);
    if (isFirst || limited) await lookAtAll();
    await receiveAll(annotations);
    since = next;
  }

  async function listen(): Promise<void> {
    while (!signal.aborted) {
      try {
        await round();
        if (complaint !== undefined) log.info("reactions are heard again");
        complaint = undefined;
        inbox.reportProblem(undefined);
        backoff.reset();
      } catch (error) {
        if (signal.aborted) return;
        await pauseAfter(error);
      }
    }
  }

  async function pauseAfter(error: unknown): Promise<void> {
    const { retryAfterMs = 0, hint } = error instanceof DeliveryError ? error.fault : {};
    const said = `reactions to messages are not heard: ${messageOf(error)}`;
    if (said !== complaint) log.warn(said, { hint });
    complaint = said;
    inbox.reportProblem(hint === undefined ? said : `${said}. ${hint}`);
    // The server may have forgotten where this was.
    since = undefined;
    await sleep(clock, "matrix-sync", Math.max(retryAfterMs, backoff.next()), signal);
  }

  const listening = listen();
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await listening;
    },
  };
}

function timelineIn({ rooms }: JsonObject, room: string): JsonObject {
  const joined = isObject(rooms) && isObject(rooms.join) ? rooms.join[room] : undefined;
  return isObject(joined) && isObject(joined.timeline) ? joined.timeline : {};
}

function annotationsIn(events: Json | undefined): Annotation[] {
  return Array.isArray(events) ? events.flatMap((event) => annotationIn(event) ?? []) : [];
}
