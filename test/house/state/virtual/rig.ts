// Virtual devices on a real registry and a real SQLite file, with a virtual clock. Tests can stop the hub, let time pass and
// start it again on the same files.
import { writeFileSync } from "node:fs";
import { startCommandWatch } from "../../../../src/house/state/commands/command-watch.ts";
import { type Actor, type Commands, createCommands } from "../../../../src/house/state/commands/commands.ts";
import { openRegistry, type Registry } from "../../../../src/house/state/registry.ts";
import type { Location } from "../../../../src/house/state/virtual/modes.ts";
import { openVirtualDevices, type VirtualDevices } from "../../../../src/house/state/virtual/virtual-devices.ts";
import { createBus } from "../../../../src/kit/lifecycle/bus.ts";
import { type Log, silentLog } from "../../../../src/kit/lifecycle/log.ts";
import type { JsonObject } from "../../../../src/kit/schema/json.ts";
import { createZone } from "../../../../src/kit/time/zone.ts";
import type { StateDb } from "../../../../src/server/db/state-db.ts";
import type { HubEvent } from "../../../../src/server/events/catalog.ts";
import type { EventFeed } from "../../../../src/server/events/feed.ts";
import { openTestState } from "../../../support/state-db.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";

const BERLIN: Location = { latitude: 52.52, longitude: 13.405 };

/** An event with the wall-clock time of its emission, as `2026-03-29T01:00:00.000Z`. */
export interface Emitted {
  at: string;
  mono: number;
  event: HubEvent;
}

export interface House extends Disposable {
  readonly clock: VirtualClock;
  /** All events, also those before restarts. */
  readonly emitted: Emitted[];
  readonly logged: string[];
  db: StateDb;
  registry: Registry;
  commands: Commands;
  virtual: VirtualDevices;
  send(id: string, command: JsonObject): Promise<string>;
  writeModes(text: string): void;
  readonly modesFile: string;
  /** As a power cut does. */
  stop(): void;
  /** `begin: false` stops short of what follows `system_started`. */
  start(options?: { begin?: boolean }): void;
  /** Events of a type, as `time event`. */
  lines(type: HubEvent["type"]): string[];
}

const ANN: Actor = { kind: "user", id: "1", name: "ann" };

export interface HouseOptions {
  at?: string;
  location?: Location;
  modes?: string;
  timezone?: string;
}

export function openHouse({
  at = "2026-01-15T12:00:00Z",
  location = BERLIN,
  modes,
  timezone = "Europe/Berlin",
}: HouseOptions = {}): House {
  const folder = createTemporaryFolder();
  const clock = createVirtualClock(Date.parse(at));
  const emitted: Emitted[] = [];
  const logged: string[] = [];
  const note = (message: string): void => void logged.push(message);
  const log: Log = { ...silentLog, info: note, warn: note, error: note };
  const listeners = createBus<HubEvent & { type: string }>(silentLog);
  const feed = {
    on: (type: string, name: string, listener: (envelope: { event: HubEvent }) => void) =>
      listeners.on(type as never, name, (event: HubEvent) => listener({ event })),
  } as unknown as Pick<EventFeed, "on">;
  function emit(event: HubEvent): void {
    emitted.push({ at: new Date(clock.now()).toISOString(), mono: clock.mono(), event });
    listeners.publish(event);
  }
  const modesFile = folder.at("modes.toml");
  if (modes !== undefined) writeFileSync(modesFile, modes);
  let parts: DisposableStack;

  const house = {
    clock,
    emitted,
    logged,
    modesFile,
    send: (id: string, command: JsonObject) => house.commands.send(id, command, ANN),
    writeModes: (text: string) => writeFileSync(modesFile, text),
    stop: () => parts[Symbol.dispose](),
    start({ begin = true } = {}) {
      parts = new DisposableStack();
      const db = parts.use(openTestState(folder.at("state.redb"), clock.now));
      house.db = db;
      // It never writes behind and is not disposed, which would write: so a restart finds only what was written durably.
      house.registry = openRegistry({ db, clock, log, emit, flushSecs: 1e9 });
      house.virtual = parts.use(
        openVirtualDevices({
          ...{ registry: house.registry, db, clock, log, emit, feed, location, modesFile },
          zone: createZone(timezone),
          deliver: (...command) => house.commands.deliver(...command),
        }),
      );
      house.commands = createCommands({
        registry: house.registry,
        clock,
        random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
        emit,
        dispatch: () => Promise.resolve(),
        reaches: () => true,
        watch: parts.use(startCommandWatch({ registry: house.registry, clock, log, emit, timeoutSecs: 10 })),
        prepare: house.virtual.prepare,
      });
      if (begin) house.virtual.start();
    },
    lines: (type: HubEvent["type"]) => emitted.filter(({ event }) => event.type === type).map(lineOf),
    [Symbol.dispose]() {
      parts[Symbol.dispose]();
      folder[Symbol.dispose]();
    },
  } as House;
  house.start();
  return house;
}

function lineOf({ at, event }: Emitted): string {
  switch (event.type) {
    case "timer_state_changed":
      return `${at} ${event.device_id} ${event.previous_state} → ${event.state}`;
    case "mode_changed":
      return `${at} ${event.mode_id} ${event.on ? "on" : "off"}`;
    default:
      return `${at} ${event.type}`;
  }
}
