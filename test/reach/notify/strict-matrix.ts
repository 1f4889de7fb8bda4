// A Matrix homeserver by its specification (client-server API 1.11), strict where the real ones are lenient: it remembers
// transactions, applies edits and redactions, and refuses what the specification does not have.
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { type HttpPlace, type SeenRequest, serveHttp } from "./rig.ts";

export const ROOM = "!abc+d:home.example";
export const TOKEN = "syt_aGViZQ_ZxbPqW_1Q2w3E";

export interface StrictMatrix extends HttpPlace {
  /** What the room shows, by event. */
  readonly shown: ReadonlyMap<string, JsonObject>;
  readonly media: ReadonlyMap<string, { type: string; filename: string | null; bytes: Uint8Array }>;
  /** The reactions of the hub's own account, as `key event`. */
  readonly offered: readonly string[];
  /** Somebody reacts in the room. */
  react(event: string, key: string, sender: string): void;
  /** Syncs that wait now. */
  readonly syncing: number;
  /** Syncs are refused with this error. */
  syncRefusal: { status: number; errcode: string; error: string } | undefined;
  /** Uploads are answered when it resolves. */
  uploading: Promise<void>;
}

/** The hub's own account. */
const SELF = "@hub:home.example";
export const ANNA = "@anna:home.example";

interface RoomEvent {
  type: string;
  sender: string;
  event_id: string;
  content: JsonObject;
}

export function serveMatrix({ maxMedia = 1_000_000, reactions = true } = {}): StrictMatrix {
  const events: RoomEvent[] = [];
  const waiting = new Set<() => void>();
  const shown = new Map<string, JsonObject>();
  const media = new Map<string, { type: string; filename: string | null; bytes: Uint8Array }>();
  const transactions = new Map<string, string>();
  const room = `/_matrix/client/v3/rooms/${encodeURIComponent(ROOM)}/`;
  let count = 0;

  function once(path: string, work: (event: string) => Response | undefined): Response {
    const known = transactions.get(path);
    if (known !== undefined) return Response.json({ event_id: known });
    const event = `$event${++count}`;
    const refused = work(event);
    if (refused) return refused;
    transactions.set(path, event);
    return Response.json({ event_id: event });
  }

  function answer(request: SeenRequest): Response | Promise<Response> {
    const { method, path, headers, json, bytes, query, contentType } = request;
    if (headers.get("authorization") !== `Bearer ${TOKEN}`)
      return refusal(401, "M_UNKNOWN_TOKEN", "Unrecognised access token");
    if (method === "POST" && path === "/_matrix/media/v3/upload") {
      if (bytes.length > maxMedia) return refusal(413, "M_TOO_LARGE", "Upload request body is too large");
      const uri = `mxc://home.example/m${++count}`;
      media.set(uri, { type: contentType, filename: query.get("filename"), bytes });
      return place.uploading.then(() => Response.json({ content_uri: uri }));
    }
    if (method === "GET") return read(request);
    if (method !== "PUT" || !path.startsWith(room)) return refusal(404, "M_UNRECOGNIZED", "Unrecognized request");
    const [kind = "", what = "", transaction = "", ...more] = path.slice(room.length).split("/");
    if (transaction === "" || more.length > 0) return refusal(404, "M_UNRECOGNIZED", "Unrecognized request");
    if (kind === "redact")
      return once(path, () => (shown.delete(decodeURIComponent(what)) ? undefined : refusal(404, "M_NOT_FOUND", "No")));
    if (kind === "send" && what === "m.reaction") return once(path, (event) => annotate(event, json, SELF));
    if (kind !== "send" || what !== "m.room.message") return refusal(404, "M_UNRECOGNIZED", "Unrecognized request");
    if (bytes.length > 65_536 || !JSON.stringify(json).isWellFormed()) return refusal(413, "M_TOO_LARGE", "too large");
    return once(path, (event) => show(event, json));
  }

  function show(event: string, content: JsonObject): Response | undefined {
    const relation = content["m.relates_to"] as { rel_type?: string; event_id?: string } | undefined;
    if (!relation) return void shown.set(event, content);
    if (relation.rel_type !== "m.replace" || !shown.has(relation.event_id ?? ""))
      return refusal(400, "M_BAD_JSON", "no such event");
    shown.set(relation.event_id ?? "", content["m.new_content"] as JsonObject);
    return undefined;
  }

  /** One of a key and a sender for each event, as the specification has it. */
  function annotate(event_id: string, content: JsonObject, sender: string): Response | undefined {
    const { rel_type, event_id: about, key } = (content["m.relates_to"] ?? {}) as Record<string, string>;
    if (rel_type !== "m.annotation" || !shown.has(about ?? "") || !key) return refusal(400, "M_BAD_JSON", "no");
    if (sender === SELF && !reactions) return refusal(403, "M_FORBIDDEN", "You may not send m.reaction");
    const isThere = annotationsOf(about ?? "").some((one) => one.sender === sender && keyOf(one) === key);
    if (isThere) return refusal(400, "M_DUPLICATE_ANNOTATION", "Can't send same reaction twice");
    events.push({ type: "m.reaction", sender, event_id, content });
    for (const wake of [...waiting]) wake();
    return undefined;
  }

  function annotationsOf(about: string): RoomEvent[] {
    return events.filter(({ content }) => (content["m.relates_to"] as JsonObject | undefined)?.event_id === about);
  }

  function read({ path, query, signal }: SeenRequest): Response | Promise<Response> {
    if (path === "/_matrix/client/v3/account/whoami") return Response.json({ user_id: SELF });
    if (path === `${room}state/m.room.member/${encodeURIComponent(ANNA)}`)
      return Response.json({ membership: "join", displayname: "Anna" });
    const relations = /^\/_matrix\/client\/v1\/rooms\/([^/]+)\/relations\/([^/]+)\/m.annotation\/m.reaction$/.exec(
      path,
    );
    if (relations && decodeURIComponent(relations[1] ?? "") === ROOM)
      return Response.json({ chunk: annotationsOf(decodeURIComponent(relations[2] ?? "")).toReversed() });
    return path === "/_matrix/client/v3/sync" ? sync(query, signal) : refusal(404, "M_UNRECOGNIZED", "Unrecognized");
  }

  async function sync(query: URLSearchParams, signal: AbortSignal): Promise<Response> {
    if (place.syncRefusal) return refusal(place.syncRefusal.status, place.syncRefusal.errcode, place.syncRefusal.error);
    const filter = JSON.parse(query.get("filter") ?? "{}");
    const since = query.get("since");
    const { types = [], not_types = [] } = filter.room?.timeline ?? {};
    const isNarrow =
      filter.room?.rooms?.[0] === ROOM && (since === null ? not_types[0] === "*" : types[0] === "m.reaction");
    if (!isNarrow || query.get("set_presence") !== "offline") return refusal(400, "M_BAD_JSON", "asks for too much");
    const from = since === null ? events.length : Number(since.slice(1));
    const found = (): RoomEvent[] => events.slice(from);
    if (since !== null && found().length === 0 && query.get("timeout") !== "0") {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      signal.addEventListener("abort", () => resolve());
      await promise;
      waiting.delete(resolve);
    }
    const timeline = { events: found().slice(-20), limited: found().length > 20 };
    return Response.json({ next_batch: `s${events.length}`, rooms: { join: { [ROOM]: { timeline } } } });
  }

  const server = serveHttp(answer);
  const place: StrictMatrix = {
    ...{ ...server, shown, media, uploading: Promise.resolve(), syncRefusal: undefined },
    [Symbol.dispose]: server[Symbol.dispose],
    get offered() {
      return events.filter(({ sender }) => sender === SELF).map((one) => `${keyOf(one)} ${aboutOf(one)}`);
    },
    react(event: string, key: string, sender: string) {
      annotate(`$reaction${++count}`, { "m.relates_to": { rel_type: "m.annotation", event_id: event, key } }, sender);
    },
    get syncing() {
      return waiting.size;
    },
  };
  return place;
}

const relationOf = ({ content }: RoomEvent) => content["m.relates_to"] as JsonObject;
const keyOf = (event: RoomEvent): string => String(relationOf(event).key);
const aboutOf = (event: RoomEvent): string => String(relationOf(event).event_id);

function refusal(status: number, errcode: string, error: string): Response {
  return Response.json({ errcode, error }, { status });
}
