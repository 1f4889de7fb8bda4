// Follows the hub's event stream: connects again where it left off when the hub restarts, a stream's token expires or the network
// fails, and ends when it is asked to or nobody reads any more.
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type JsonObject, parseJson } from "../../../kit/schema/json.ts";
import { sleep } from "../../../kit/time/clock.ts";
import type { Io } from "../command.ts";
import type { HubClient } from "../hub-client.ts";

export interface Followed {
  /** Of the stream, without `since`. */
  query: Readonly<Record<string, string>>;
  /** The `seq` of the last event that is known. */
  since: number;
  io: Io;
  write(event: JsonObject): void;
}

const EVERY_MS = 1000;
const DEPTH = 64;

/** Resolves when it is to end. Throws HubError where the hub answers and refuses, such as for a key that was withdrawn. */
export async function followEvents(client: HubClient, { query, since, io, write }: Followed): Promise<void> {
  const { clock, stdout, stderr } = io.platform;
  const ending = new AbortController();
  const { signal } = ending;
  void io.stopRequested().then(() => ending.abort());
  // In a quiet house nothing is written that would fail.
  using _reader = clock.every("hub events", EVERY_MS, () => {
    if (stdout.isClosed) ending.abort();
  });
  let last = since;
  const take = (event: JsonObject): void => {
    if (typeof event.seq === "number") last = event.seq;
    write(event);
    if (stdout.isClosed) ending.abort();
  };
  for (let isAway = false; !signal.aborted; await sleep(clock, "hub events", EVERY_MS, signal)) {
    const socket = await connected(client, { ...query, ...(last > 0 && { since: String(last) }) });
    if (socket) await readStream(socket, take, signal);
    else if (!isAway) stderr.write("hub: it does not answer now; waiting for it\n");
    isAway = socket === undefined;
  }
}

/** Undefined while the hub is away. A refusal is thrown: on the WebSocket it could not be distinguished from a fault. */
async function connected(client: HubClient, query: Record<string, string>): Promise<WebSocket | undefined> {
  try {
    await client.ask("GET", "/events?limit=1");
    return await client.connect(`/events/stream?${new URLSearchParams(query)}`);
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "unavailable") throw error;
    return undefined;
  }
}

/** Until the socket closes, for whatever reason, or is to. */
function readStream(socket: WebSocket, take: (event: JsonObject) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.close();
      resolve();
    };
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
    socket.onmessage = ({ data }) => {
      const parsed = parseJson(String(data), DEPTH);
      if (parsed.ok && isObject(parsed.value) && !signal.aborted) take(parsed.value);
    };
    socket.onclose = () => {
      signal.removeEventListener("abort", end);
      resolve();
    };
  });
}
