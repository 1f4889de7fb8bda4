// How much an assistant reads to know a house of a hundred devices.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../support/wait.ts";
import type { McpClient } from "./mcp-client.ts";
import { type McpHouse, startMcpHouse } from "./mcp-house.ts";

const MAX_BYTES = 15_000;
const AREAS = ["living_room", "kitchen", "bedroom", "bathroom", "hall"];
/** As such devices report them over Zigbee. */
const KINDS: Record<string, object> = {
  light: { on: true, brightness_pct: 40, color_temp_k: 2700, color_rgb: "#ff8800" },
  sensor: { temperature: 21.4, humidity: 48, battery: 87 },
  switch: { on: false, power: 12.5, energy: 103.2 },
  cover: { position: 100, moving: "stopped" },
};

let house: McpHouse;
let client: McpClient;
beforeAll(async () => {
  house = await startMcpHouse();
  for (const id of AREAS) await house.admin("POST", "/areas", { id, name: `The ${id.replace("_", " ")}` });
  for (let n = 0; n < 100; n++) {
    const [device_type = "", state] = Object.entries(KINDS)[n % 4] ?? [];
    const device_id = `0x00158d0001a2b${String(n).padStart(3, "0")}`;
    const name = `${AREAS[n % 5]?.replace("_", " ")} ${device_type} ${n}`;
    await house.say("plugins/zigbee/register", { device_id, name, device_type, area: AREAS[n % 5] });
    await house.say(`devices/${device_id}/state`, state);
  }
  client = await house.client(await house.key({ areas: AREAS }));
  await until("all are there", async () => {
    const { devices } = await house.admin<{ devices: number }>("GET", "/system/status");
    return devices > 100;
  });
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await house[Symbol.asyncDispose]();
});

interface Listed {
  devices: { id: string; state?: object; model?: string }[];
  area_names: Record<string, string>;
  next?: string;
}

test(`a hundred devices are told in ${MAX_BYTES} bytes at most, with their values`, async () => {
  const list = await client.ask<Listed>("list_devices");
  expect(JSON.stringify(list).length).toBeLessThan(MAX_BYTES);
  expect(list.devices.length).toBeGreaterThan(99);
  expect(list.devices.every(({ state }) => Object.keys(state ?? {}).length > 0)).toBe(true);
  expect(list.area_names).toMatchObject({ kitchen: "The kitchen" });
  const names = await client.ask<Listed>("list_devices", { fields: ["area"] });
  expect(names.devices.length).toBeGreaterThan(99);
  expect(JSON.stringify(names).length).toBeLessThan(MAX_BYTES * 0.75);
});

test("pages have each device once", async () => {
  const seen: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await client.ask<Listed>("list_devices", { limit: 30, ...(after && { after }) });
    expect(page.devices.length).toBeLessThanOrEqual(30);
    seen.push(...page.devices.map(({ id }) => id));
    after = page.next;
    if (after === undefined) break;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.filter((id) => id.startsWith("0x"))).toHaveLength(100);
});
