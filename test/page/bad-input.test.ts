// Names, texts and values from outside that nobody would choose: nothing of them runs, and no view breaks or sticks out.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, overflowing, picture, settled, walk } from "./support/seen.ts";
import { addressOf, type Member, member } from "./support/zigbee-devices.ts";
import { pathOf, VIEWS } from "./views.ts";

const MARKUP = `<img src=x onerror="window.ran=1"><script>window.ran=1</script>`;
const LONG = "Donaudampfschifffahrtsgesellschaft".repeat(9).slice(0, 300);
const RIGHT_TO_LEFT = "مصباح غرفة الجلوس \u202e gnol";
const NAMES = [
  MARKUP,
  LONG,
  RIGHT_TO_LEFT,
  "{{constructor}} %s %n \u0007",
  "\u{1F3E0}".repeat(70),
  "javascript:window.ran=1",
];
const deep = (levels: number): unknown => (levels === 0 ? MARKUP : { [`level ${levels}`]: [deep(levels - 1)] });
const ODD: Record<string, unknown> = {
  brightness: "NaN",
  temperature: 1e308,
  humidity: -1e-300,
  action: MARKUP,
  nested: deep(8),
  text: LONG,
  list: Array.from({ length: 500 }, (_, index) => index),
  nothing: null,
};

let house: PageHouse;
let visitors: Visitors;
let visitor: Visitor;
beforeAll(async () => {
  const more = NAMES.map((_, index): Member => member(500 + index, index, `odd ${index}`));
  house = await startPageHouse({ zigbee: 20, more });
  await spoil();
  visitors = await openBrowser();
  visitor = await visitors.visit(house, { role: "admin", width: 360 });
  visitor.page.on("dialog", (dialog) => {
    visitor.complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
});
afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
});

/** Fills the house with what is odd. */
async function spoil(): Promise<void> {
  const { hub, network } = house;
  for (const [index, name] of NAMES.entries()) {
    network.report(`odd ${index}`, ODD);
    await hub.request("PATCH", `/devices/${addressOf(500 + index)}`, { body: { name } });
    const area = await hub.request("POST", "/areas", { body: { name: name.slice(0, 100) } });
    if (area.status < 300)
      await hub.request("PATCH", `/devices/${addressOf(500 + index)}`, {
        body: { area: area.json<{ id: string }>().id },
      });
    await hub.request("POST", "/scenes", { body: { name, states: { [addressOf(500)]: { on: true } } } });
    await hub.request("POST", "/rules", {
      body: { name, trigger: { type: "webhook_received", path: `odd-${index}` }, actions: [] },
    });
    await hub.request("PUT", `/variables/odd_${index}`, { body: { value: { [name]: deep(5) } } });
  }
  await asPlugin();
  await until("the odd values are there", async () => {
    const { attributes } = await hub.get<{ attributes: object }>(`/devices/${addressOf(500)}`);
    return Object.hasOwn(attributes, "nested");
  });
}

/** A plugin that says odd things of itself and of its device. */
async function asPlugin(): Promise<void> {
  const client = await house.hub.mqtt();
  const say = (topic: string, payload: unknown) =>
    client.publishAsync(`hub/${topic}`, JSON.stringify(payload), { qos: 1 });
  await say("plugins/odd/register", {
    ...{ device_id: "odd_plugin_device", plugin_id: "odd", name: MARKUP, area: `${MARKUP}!`, device_type: MARKUP },
    ...{ manufacturer: MARKUP, model: LONG, sw_version: MARKUP },
    capabilities: {
      type: "object",
      properties: {
        [MARKUP]: { type: "string", description: MARKUP, unit: MARKUP },
        value: { type: "number", unit: LONG },
      },
    },
  });
  await say("devices/odd_plugin_device/state", { [MARKUP]: MARKUP, value: 1e300, on: MARKUP, position: "NaN" });
}

const SPOILT = [
  ...VIEWS,
  ...NAMES.map((_, index) => ({ name: `odd-device-${index}`, path: `/devices/${addressOf(500 + index)}` })),
  { name: "odd-plugin-device", path: "/devices/odd_plugin_device" },
  { name: "odd-address", path: `/devices/${encodeURIComponent(MARKUP)}?q=${encodeURIComponent(MARKUP)}#${LONG}` },
];

for (const view of SPOILT)
  test(`${view.name} bears it`, async () => {
    await walk(visitor.page, await pathOf(view, house));
    await settled(visitor.page);
    await picture(visitor.page, `bad-${view.name}`);
    expect(await visitor.page.evaluate(() => (window as unknown as { ran?: number }).ran)).toBeUndefined();
    expect(await overflowing(visitor.page)).toEqual([]);
    expect(await barriers(visitor.page)).toEqual([]);
    expect([visitor.complaints.splice(0), visitor.abroad]).toEqual([[], []]);
  });
