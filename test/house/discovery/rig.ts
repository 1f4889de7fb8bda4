// The room of discovery with a real registry, and a person who publishes.

import { createApproval } from "../../../src/house/discovery/approval.ts";
import { DiscoverySection } from "../../../src/house/discovery/config.ts";
import type { Outgoing } from "../../../src/house/discovery/described.ts";
import { Discovery } from "../../../src/house/discovery/discovery.ts";
import { messageIn } from "../../../src/house/discovery/entry.ts";
import type { ActionFields } from "../../../src/house/discovery/presses.ts";
import { sourcesOf } from "../../../src/house/discovery/sources/index.ts";
import { openDiscoveryStore } from "../../../src/house/discovery/store.ts";
import { PicturesSection } from "../../../src/house/pictures/config.ts";
import type { FetchPicture } from "../../../src/house/pictures/fetches.ts";
import { startDevicePictures } from "../../../src/house/pictures/pictures.ts";
import { openRegistry } from "../../../src/house/state/registry.ts";
import { noteUnavailable } from "../../../src/house/state/unavailable.ts";
import type { LimitReached } from "../../../src/kit/lifecycle/limits.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import type { HubEvent } from "../../../src/server/events/catalog.ts";
import { sectionOf } from "../../support/section.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

interface RigOptions {
  discovery?: Partial<DiscoverySection>;
  mayPublish?: (topic: string) => boolean;
  profiles?: Parameters<typeof sourcesOf>[1];
  clock?: VirtualClock;
  pictures?: Partial<PicturesSection>;
  fetch?: FetchPicture;
  /** Starts on what this one has left, as after a restart. */
  after?: { folder: TemporaryFolder };
}

export function createRig({
  discovery: section = {},
  mayPublish = () => true,
  profiles,
  pictures: pictured = {},
  fetch = () => Promise.reject(new Error("no network")),
  after,
  clock = createVirtualClock(),
}: RigOptions = {}) {
  const folder = after?.folder ?? createTemporaryFolder();
  const db = openTestState(folder.at("state.redb"), clock.now);
  const events: HubEvent[] = [];
  const registry = openRegistry({ db, clock, log: silentLog, emit: (event) => events.push(event), flushSecs: 1 });
  const store = openDiscoveryStore(db);
  const config = sectionOf(DiscoverySection, section);
  const published: Outgoing[] = [];
  const refusals: { deviceId: string; message: string }[] = [];
  const reached: LimitReached[] = [];
  const actions: ({ device_id: string } & ActionFields)[] = [];
  const pictures = startDevicePictures({
    ...{ clock, log: silentLog, fetch, folder: folder.at("device-pictures"), budget: { allows: () => true } },
    section: sectionOf(PicturesSection, pictured),
    devices: () => [...registry.list()].map(({ id }) => id),
  });
  const discovery = new Discovery({
    clock,
    log: silentLog,
    limits: { reached: (limit) => void reached.push(limit) },
    readingMsPerSecond: config.max_reading_ms_per_second,
    devices: registry,
    store,
    approval: createApproval(config, store),
    sources: sourcesOf(config, profiles),
    offsetMs: () => 3_600_000,
    retained: () => [],
    onPicture: pictures.take,
    onUnavailable: (id, attributes) =>
      noteUnavailable({ registry, emit: (event) => events.push(event) }, id, attributes),
    onRefused: (refusal) => void refusals.push(refusal),
    onAction: (action) => actions.push(action),
    publish: async (outgoing) => void published.push(outgoing),
  });
  registry.onRemoved("discovery", ({ id }) => discovery.removed(id));
  registry.onRemoved("pictures", ({ id }) => void pictures.forget(id));
  return {
    ...{ folder, clock, registry, pictures, discovery, events, published, actions, refusals, reached },
    publish(topic: string, payload: unknown, { account = "z2m", retain = false } = {}): void {
      const text = (): string => (typeof payload === "string" ? payload : JSON.stringify(payload));
      const bytes = payload instanceof Uint8Array ? payload : new TextEncoder().encode(text());
      const sender = { name: account, mayPublish };
      discovery.receive({ sender, topic, payload: bytes, retain, message: messageIn(bytes) });
    },
    sent: () => published.splice(0).map(({ topic, payload }) => ({ topic, payload: jsonOr(payload) })),
    [Symbol.dispose]() {
      pictures[Symbol.dispose]();
      registry[Symbol.dispose]();
      db[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  };
}

function jsonOr(payload: string): JsonObject | string {
  try {
    return JSON.parse(payload) as JsonObject;
  } catch {
    return payload;
  }
}
