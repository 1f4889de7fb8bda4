// Which attributes have other names since a newer version of the hub: it outlives restarts, and goes with the device.
import { expect, test } from "bun:test";
import { openRegistry } from "../../../src/house/state/registry.ts";
import { openRenamedAttributes } from "../../../src/house/state/renamed-attributes.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { DOOR, putFormerDoor } from "../../support/former-door.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

// As zigbee2mqtt's source describes the door (Aqara MCCGQ11LM).
const SCHEMA = {
  type: "object",
  properties: {
    contact: { type: "boolean", class: "door", inverted: true, readOnly: true },
    voltage: { type: "number", unit: "mV", category: "diagnostic", readOnly: true },
  },
};

function open(path: string, clock = createVirtualClock()) {
  const db = openTestState(path, clock.now);
  const writing = { db, clock, log: silentLog };
  const renamed = openRenamedAttributes(writing);
  const added: string[] = [];
  renamed.onAdded("test", ({ from, to }) => added.push(`${from} → ${to}`));
  const registry = openRegistry({ ...writing, flushSecs: 1, emit() {}, onRenamed: renamed.add });
  registry.onRemoved("renamed attributes", ({ id }) => renamed.forget(id));
  return {
    ...{ clock, renamed, registry, added },
    rows: () => db.relaxed.query<{ n: number }, []>("SELECT count(*) AS n FROM renamed_attributes").get()?.n,
    [Symbol.dispose]() {
      for (const part of [registry, renamed, db]) part[Symbol.dispose]();
    },
  };
}

test("a door of a former version: once, with the moment, after a restart too, and gone with the door", () => {
  using folder = createTemporaryFolder();
  const path = folder.at("state.redb");
  open(path)[Symbol.dispose]();
  putFormerDoor(folder.path, { history: false });
  {
    using hub = open(path);
    hub.registry.schema(DOOR, SCHEMA, "z2m");
    hub.registry.schema(DOOR, SCHEMA, "z2m");
    expect(hub.added.sort()).toEqual(["contact → open"]);
  }
  using hub = open(path);
  const at = hub.clock.now();
  expect([...hub.renamed.list()]).toEqual([{ deviceId: DOOR, from: "contact", to: "open", at }]);
  const names = [at - 1, at].map((when) => hub.renamed.nameAt(DOOR, "contact", when));
  expect([names, hub.renamed.nameAt(DOOR, "battery", 0)]).toEqual([["open", "contact"], "battery"]);
  hub.registry.schema(DOOR, SCHEMA, "z2m");
  expect(hub.added).toEqual([]);
  hub.registry.remove(DOOR);
  expect([[...hub.renamed.list()], hub.rows()]).toEqual([[], 0]);
});
