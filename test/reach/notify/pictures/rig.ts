// Messages with pictures as the hub sends them: outbox, notifier and pictures over a real database and folder; cameras and
// services are HTTP servers on this machine.

import { createNotifier } from "../../../../src/reach/notify/notifier.ts";
import { startOutbox } from "../../../../src/reach/notify/outbox/outbox.ts";
import type { ShownPictures } from "../../../../src/reach/notify/pictures/capture.ts";
import { type Pictures, startPictures } from "../../../../src/reach/notify/pictures/pictures.ts";
import type { PicturedDevice } from "../../../../src/reach/notify/pictures/snapshot.ts";
import { createHouseTime } from "../../../../src/reach/notify/render.ts";
import type { HubEvent } from "../../../../src/server/events/catalog.ts";
import { openTestState } from "../../../support/state-db.ts";
import type { TemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock } from "../../../support/virtual-clock.ts";
import { createRig } from "../rig.ts";

const jpegOf = (text: string) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(text)]);
export const PICTURES = {
  jpg: jpegOf("a camera's picture"),
  png: Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.from("png")]),
  gif: Buffer.from("GIF89a and more"),
  webp: Buffer.from("RIFF\x10\x00\x00\x00WEBPVP8 ", "latin1"),
  jpegOf,
};

export interface SeenForm {
  path: string;
  fields: Record<string, string>;
  /** Of the only file. */
  file: { field: string; name: string; type: string; bytes: Buffer } | undefined;
}

/** A service that takes forms and JSON, and answers as the test says. */
export function serveForms(answer: (seen: SeenForm, count: number) => Response) {
  const seen: SeenForm[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const one: SeenForm = { path: new URL(request.url).pathname, fields: {}, file: undefined };
      if (request.headers.get("content-type")?.includes("json")) {
        one.fields = (await request.json()) as Record<string, string>;
      } else {
        for (const [name, value] of (await request.formData()) as unknown as Iterable<[string, string | File]>) {
          if (typeof value === "string") one.fields[name] = value;
          else
            one.file = {
              ...{ field: name, name: value.name, type: value.type },
              bytes: Buffer.from(await value.arrayBuffer()),
            };
        }
      }
      seen.push(one);
      return answer(one, seen.length);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    seen,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** A camera, with the `Host` of each request. */
export function serveCamera(answer: (request: Request, count: number) => Response | Promise<Response>) {
  const asked: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      asked.push(request.headers.get("host") ?? "");
      return answer(request, asked.length);
    },
  });
  return {
    host: `127.0.0.1:${server.port}`,
    url: `http://127.0.0.1:${server.port}/snapshot.jpg`,
    asked,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

export interface PicturesRigOptions {
  folder: TemporaryFolder;
  channels: unknown[];
  devices?: Record<string, PicturedDevice>;
  hosts?: string[];
  retained?: (topic: string) => Uint8Array | undefined;
  /** What devices have shown; nothing when it is absent. */
  shown?: ShownPictures;
  /** How much later by the wall clock than another rig. */
  laterMs?: number;
}

export function openPicturesRig({
  folder,
  channels,
  devices = {},
  hosts = [],
  retained = () => undefined,
  shown = { find: async () => undefined, next: async () => undefined },
  laterMs = 0,
}: PicturesRigOptions) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 15, 12) + laterMs);
  const { deps, log, output } = createRig(clock);
  const db = openTestState(folder.at("state.redb"), clock.now);
  const events: HubEvent[] = [];
  const notifier = createNotifier({
    ...deps,
    section: { channels },
    timezone: "UTC",
    house: { device: () => undefined, variable: () => undefined },
  });
  const pictures: Pictures = startPictures({
    ...{ clock, log, db, notifier, fetch, hosts, retained, random: deps.random },
    ...{ home: folder.path, folder: folder.at("data", "pictures") },
    device: (id) => devices[id],
    shown,
  });
  const outbox = startOutbox({
    ...{ db, clock, log, random: deps.random, houseTime: createHouseTime("UTC"), expireHours: 24 },
    notifier: { list: notifier.list, deliver: pictures.deliver },
    emit: (event) => void events.push(event),
  });
  return {
    ...{ clock, events, outbox, pictures, output },
    say(channel: string, message: string, image: string) {
      const addressed = notifier.render({ channel, message, image });
      pictures.take(addressed);
      return outbox.enqueue(addressed);
    },
    /** Nothing more is written. */
    crash() {
      pictures[Symbol.dispose]();
      db[Symbol.dispose]();
    },
    async [Symbol.asyncDispose]() {
      const closed = outbox[Symbol.asyncDispose]();
      await clock.advance(10_000);
      await closed;
      pictures[Symbol.dispose]();
      db[Symbol.dispose]();
    },
  };
}
