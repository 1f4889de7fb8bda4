import { expect, test } from "bun:test";
import { openHouse } from "./rig.ts";

test("a switch turns on and off, and emits an event only if it changes", async () => {
  using house = openHouse();
  house.virtual.switches.create({ id: "guests", name: "Guests" });
  expect(house.registry.get("guests").attributes).toEqual({ on: false });
  const from = house.emitted.length;
  await house.send("guests", { on: true });
  await house.send("guests", { command: "on" });
  await house.send("guests", { command: "toggle" });
  await house.send("guests", { on: false });
  const changes = house.emitted.slice(from).filter(({ event }) => event.type === "device_state_changed");
  expect(changes.map(({ event }) => "current" in event && event.current)).toEqual([{ on: true }, { on: false }]);
  expect(changes[0]?.event).toMatchObject({ change: { kind: "user", actor_name: "ann" } });
});

test("a command is on disk when it is answered", async () => {
  using house = openHouse();
  house.virtual.switches.create({ id: "guests" });
  await house.send("guests", { on: true });
  house.stop();
  house.start();
  expect(house.registry.get("guests").attributes).toEqual({ on: true });
});

test("an unknown command is refused with the list of known ones", async () => {
  using house = openHouse();
  house.virtual.switches.create({ id: "guests" });
  for (const [command, says] of [
    [{ on: 1 }, "on: must be true or false"],
    [{ command: "togle" }, 'did you mean "toggle"?'],
    [{ brightness: 3 }, 'unknown key "brightness"'],
    [{ command: "on", secs: 3 }, 'unknown key "secs"'],
  ] as const) {
    await expect(house.send("guests", command)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining(says),
    });
  }
  expect(house.registry.get("guests").attributes).toEqual({ on: false });
});

test("the number of devices of a type is limited", () => {
  using house = openHouse();
  const { switches, timers } = house.virtual;
  for (let n = 0; n < 1000; n++) switches.create({ id: `switch_${n}` });
  expect(() => switches.create({ id: "another" })).toThrow(expect.objectContaining({ code: "conflict" }));
  expect(house.registry.find("another")).toBeUndefined();
  timers.create({ id: "another" });
  switches.remove("switch_3");
  switches.create({ id: "switch_3" });
});
