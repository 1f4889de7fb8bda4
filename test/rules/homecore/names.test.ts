// Devices that rules of homeCore call by their names: found when they appear, and followed when they are renamed.
import { expect, test } from "bun:test";
import { createDeviceNames } from "../../../src/house/state/device-names.ts";
import { openRegistry } from "../../../src/house/state/registry.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { Rules } from "../../../src/rules/rules.ts";
import { createEventFeed } from "../../../src/server/events/feed.ts";
import { openTestState } from "../../support/state-db.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createHouse } from "../support/host.ts";
import { FILES } from "./rig.ts";

async function openNamedHouse(text = FILES["by_name.ron"] ?? "") {
  const stack = new AsyncDisposableStack();
  const home = stack.use(createTemporaryFolder());
  await Bun.write(home.at("rules", "by_name.ron"), text);
  const house = createHouse();
  const { clock } = house;
  const db = stack.use(openTestState(home.at("state.redb"), clock.now));
  const feed = createEventFeed({ clock, log: silentLog, buffer: 100, mark: { load: () => 0, save() {} } });
  const registry = stack.use(openRegistry({ db, clock, log: silentLog, emit: feed.emit, flushSecs: 1 }));
  const needed: string[] = [];
  const commands: string[] = [];
  const command = async (id: string, wanted: object) => void commands.push(`${id} ${JSON.stringify(wanted)}`);
  const host = { ...house, emit: feed.emit, device: (id: string) => registry.find(id), command };
  const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
  const names = createDeviceNames(registry);
  const options = { folder: home.at("rules"), feed, clock, log: silentLog, random, host, db, names };
  const rules = stack.use(new Rules({ ...options, needModes: (ids) => void needed.push(...ids) }));
  await rules.start();
  return {
    rules,
    needed,
    commands,
    async register(id: string, name: string, area?: string) {
      registry.register({ device_id: id, name, ...(area && { area }) }, "hue");
      await clock.advance(0);
    },
    async registerSchedule(id: string, name: string) {
      registry.register({ device_id: id, name, device_type: "schedule" }, "hue");
      await clock.advance(0);
    },
    async report(id: string, attributes: { on: boolean }) {
      registry.state(id, attributes, { pluginId: "hue", partial: true });
      await clock.advance(0);
    },
    rename: (id: string, name: string) => registry.edit(id, { name }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("a rule finds its devices when they appear, and loses them when the name is another's too", async () => {
  await using house = await openNamedHouse();
  const warnings = () => house.rules.list()[0]?.warnings.map(({ message }) => message.split(" at ")[0]);
  expect(warnings()).toEqual(['there is no device "kitchen.ceiling_lamp"', 'there is no device "Kitchen Fan"']);
  await house.register("0x01", "Ceiling lamp", "Kitchen");
  await house.register("0x02", "kitchen fan");
  expect(warnings()).toEqual([]);
  await house.report("0x02", { on: false });
  await house.report("0x01", { on: true });
  expect(house.commands).toEqual(['0x02 {"on":true}']);
  expect(house.rules.list({ device_id: "0x02" })).toHaveLength(1);
  // The file still says what it said.
  expect(house.rules.list()[0]?.rule?.actions[0]?.device_id).toBe("Kitchen Fan");

  await house.register("0x03", "Kitchen Fan");
  expect(warnings()).toEqual(['there is no device "Kitchen Fan"']);
  house.rename("0x03", "Hood");
  await house.report("0x01", { on: false });
  await house.report("0x01", { on: true });
  expect(house.commands).toEqual(['0x02 {"on":true}', '0x02 {"on":true}']);
});

test("a schedule that homeCore calls active is on here", async () => {
  await using house = await openNamedHouse(
    `Rule(id: "work", name: "Work", trigger: DeviceStateChanged(device_id: "Working hours", attribute: Some("active"), to: Some(true)), conditions: [DeviceState(device_id: "work", attribute: "active", op: Eq, value: true)], actions: [RuleAction(enabled: true, action: SetDeviceState(device_id: "lamp", state: {"on": true}))])`,
  );
  await house.register("lamp", "Lamp");
  await house.registerSchedule("work", "Working hours");
  await house.report("work", { on: false });
  await house.report("work", { on: true });
  expect(house.commands).toEqual(['lamp {"on":true}']);
});
