// Channels as the hub opens them, HTTP servers on this machine that answer as a test says, and everything that is logged.
import { randomBytes } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { type Log, openLog } from "../../../src/kit/lifecycle/log.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import type { Clock } from "../../../src/kit/time/clock.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import {
  type Channel,
  type ChannelDeps,
  type ChannelMessage,
  DeliveryError,
} from "../../../src/reach/notify/channel.ts";
import { type ChannelConfig, readChannels } from "../../../src/reach/notify/config.ts";
import { openChannel } from "../../../src/reach/notify/open-channel.ts";
import { createHouseTime } from "../../../src/reach/notify/render.ts";
import { createSemaphores } from "../../../src/reach/notify/semaphores.ts";
import { createShared } from "../../../src/reach/notify/shared.ts";
import { createTestOutput, type TestOutput } from "../../support/platform.ts";

export const AT = Date.UTC(2026, 10, 21, 13, 2, 0);

export interface Rig {
  readonly deps: ChannelDeps;
  readonly output: TestOutput;
  readonly log: Log;
}

export function createRig(clock: Clock = systemClock): Rig {
  const output = createTestOutput();
  const { log } = openLog({ clock, output, level: "debug" });
  const deps: ChannelDeps = {
    fetch,
    clock,
    log,
    random: (bytes) => randomBytes(bytes),
    houseTime: createHouseTime("Europe/Berlin"),
    resolve: (path) => path,
    semaphores: createSemaphores(),
    broker: { prefix: "hub", publish: async () => {} },
    shared: createShared(),
  };
  return { deps, output, log };
}

/** The channel of an entry of the configuration, which must be right. */
export function openFrom(entry: JsonObject, rig: Rig = createRig()): Channel {
  return openChannel(configOf(entry), rig.deps);
}

export function configOf(entry: JsonObject): ChannelConfig {
  const [read] = readChannels([entry]).entries;
  if (!read || !("config" in read)) throw new Error(`the test's channel: ${JSON.stringify(read)}`);
  return read.config;
}

export function messageOf(message: string, more: Partial<ChannelMessage> = {}): ChannelMessage {
  return { id: "0f0e", title: "Hub Alert", message, at: AT, late: false, ...more };
}

/** The DeliveryError it must reject with. */
export async function failureOf(sending: Promise<unknown>): Promise<DeliveryError> {
  const error = await sending.then(
    () => new Error("it was delivered"),
    (reason: unknown) => reason,
  );
  if (error instanceof DeliveryError) return error;
  throw error;
}

export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  bytes: Uint8Array;
  contentType: string;
  body: string;
  json: JsonObject;
  form: URLSearchParams;
  /** Aborts when whoever asked leaves. */
  signal: AbortSignal;
}

export interface HttpPlace extends Disposable {
  readonly url: string;
  readonly seen: SeenRequest[];
}

type Answer = Response | { status?: number | undefined; json: unknown; headers?: Record<string, string> };

/** An HTTP server that answers as the test says, with all it was asked. */
export function serveHttp(answer: (request: SeenRequest, count: number) => Answer | Promise<Answer>): HttpPlace {
  const seen: SeenRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      const body = new TextDecoder().decode(bytes);
      const contentType = request.headers.get("content-type") ?? "";
      const json = contentType.includes("json") ? (JSON.parse(body) as JsonObject) : {};
      const { pathname: path, searchParams: query } = new URL(request.url);
      const { method, headers, signal } = request;
      const one = {
        signal,
        method,
        path,
        query,
        headers,
        bytes,
        contentType,
        body,
        json,
        form: new URLSearchParams(body),
      };
      seen.push(one);
      const given = await answer(one, seen.length);
      if (given instanceof Response) return given;
      return Response.json(given.json, {
        status: given.status ?? 200,
        ...(given.headers ? { headers: given.headers } : {}),
      });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, seen, [Symbol.dispose]: () => void server.stop(true) };
}

export interface RawPlace extends Disposable {
  readonly port: number;
  readonly url: string;
  connections(): number;
}

/** A TCP server that does what the test says with each connection. */
export async function serveRaw(onConnection: (socket: Socket) => void): Promise<RawPlace> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  const listening = Promise.withResolvers<number>();
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    listening.resolve(typeof address === "object" && address ? address.port : 0);
  });
  const port = await listening.promise;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: () => connections,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

export const never = (): AbortSignal => new AbortController().signal;
