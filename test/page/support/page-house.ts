// The compiled hub with a whole house: the virtual one, a Zigbee network, areas, rules, and somebody of each role.
import { freePort } from "../../support/free-port.ts";
import { configText, createHubPlace, type HubPlace } from "../../support/hub-place.ts";
import type { HubProcess } from "../../support/hub-process.ts";
import { until } from "../../support/wait.ts";
import { type Member, madeUp, member } from "./zigbee-devices.ts";
import { startNetwork, ZIGBEE_ACCOUNT, type ZigbeeNetwork, zigbeeHouse } from "./zigbee-network.ts";

export const PASSWORD = "correct horse battery";
export type Role = "admin" | "user" | "viewer";

/** Devices that tests name. */
export const LAMP = "Reading lamp";
export const MUTE = "Mute lamp";
export const RULE = "Reading light in the evening";
const KNOWN = [LAMP, MUTE, "Stairs lamp"];
const AREAS = ["Hall", "Kitchen", "Living room", "Bedroom"];

export interface PageHouse extends AsyncDisposable {
  readonly place: HubPlace;
  /** The one that runs now. */
  readonly hub: HubProcess;
  readonly network: ZigbeeNetwork;
  /** `http://127.0.0.1:PORT`, also after a restart. */
  readonly origin: string;
  /** Starts it again on the same ports, with its network. */
  start(): Promise<void>;
  /** The network comes back by itself, as after a restart that the hub makes itself. */
  connectNetwork(): Promise<void>;
  /** Ends it like a power cut. */
  kill(): Promise<void>;
}

export interface PageHouseOptions {
  zigbee?: number;
  /** To be looked at: nothing broken, and the same devices everywhere. */
  tidy?: boolean;
  virtual?: boolean;
  /** Further members of the network. */
  more?: readonly Member[];
  /** Keys of [auth], and whole sections. */
  auth?: string;
  toml?: string;
  binary?: string;
  /** By the executable in the home, as a service does. */
  fromHome?: boolean;
}

export async function startPageHouse(options: PageHouseOptions = {}): Promise<PageHouse> {
  const { zigbee = 200, virtual = true, more = [], binary, tidy = false } = options;
  await using stack = new AsyncDisposableStack();
  const place = stack.use(binary === undefined ? createHubPlace(null) : createHubPlace(null, undefined, binary));
  const ports = { http: freePort(), mqtt: freePort() };
  place.put("config/hub.toml", configOf(ports, options), 0o600);
  place.put("config/family.ics", EVENTS);
  place.put("config/modes.toml", MODES);
  const known = KNOWN.map((name, index) => member(index + 1, 0, name));
  const others = Math.max(0, zigbee - known.length - more.length);
  const members = [...known, ...more, ...(tidy ? madeUp(others) : await zigbeeHouse(others))];
  let hub = await place.start();
  if (options.fromHome) {
    await hub.end();
    hub = await place.startFromHome();
  }
  if (!tidy) place.put("rules/broken.toml", BROKEN_RULE);
  let network = await startNetwork(hub, members, [MUTE]);
  await furnish(hub, members, virtual);
  const parts = stack.move();
  return {
    place,
    origin: `http://127.0.0.1:${ports.http}`,
    get hub() {
      return hub;
    },
    get network() {
      return network;
    },
    async start() {
      hub = await place.start();
      network = await startNetwork(hub, members, [MUTE]);
    },
    async connectNetwork() {
      network = await startNetwork(hub, members, [MUTE]);
    },
    async kill() {
      hub.kill("SIGKILL");
      await hub.exited;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function configOf({ http, mqtt }: { http: number; mqtt: number }, options: PageHouseOptions): string {
  const { virtual = true, toml = "", auth = "" } = options;
  const whole = configText({
    auth,
    mqtt: "max_messages_per_second = 1000000\nmax_mb_per_second = 4096\nmax_deliveries_per_second = 10000000",
    toml: `[[mqtt.users]]
username = "${ZIGBEE_ACCOUNT.username}"
password = "${ZIGBEE_ACCOUNT.password}"
publish = ["zigbee2mqtt/#"]
subscribe = ["zigbee2mqtt/#"]
${virtual ? VIRTUAL : ""}${CALENDAR}${toml}`,
  });
  // Also the broker's: a hub that restores itself starts again in the same process.
  return whole.replace("port = 0", `port = ${http}`).replace("port = 0", `port = ${mqtt}`);
}

const CALENDAR = `[[calendars]]
id = "family"
name = "Family"
file = "config/family.ics"
`;
const EVENTS = `BEGIN:VCALENDAR
BEGIN:VEVENT
UID:1
SUMMARY:Choir practice
DTSTART:20260101T180000
DURATION:PT2H
RRULE:FREQ=DAILY
END:VEVENT
END:VCALENDAR
`;
const MODES = `[[modes]]
id = "night"
name = "Night"
kind = "manual"
`;
const VIRTUAL = `[[plugins]]
id = "virtual"
binary = "plugins/virtual/bin/virtual.js"
config = "plugins/virtual/config/config.toml"
enabled = true
`;
const BROKEN_RULE = `id = "broken"\nname = "Half a rule"\n[trigger]\ntype = "nothing_like_it"\n`;

async function furnish(hub: HubProcess, members: readonly Member[], virtual: boolean): Promise<void> {
  const headers = await hub.confirmed();
  for (const role of ["admin", "user", "viewer"] as const)
    await made(hub, "/auth/users", { username: nameOf(role), password: PASSWORD, role }, headers);
  const areas: string[] = [];
  for (const name of AREAS) areas.push((await made<{ id: string }>(hub, "/areas", { name })).id);
  await Promise.all(
    members
      .slice(0, 40)
      .map(({ device }, index) =>
        hub.request("PATCH", `/devices/${device.ieee_address}`, { body: { area: areas[index % areas.length] } }),
      ),
  );
  const lamp = members[0]?.device.ieee_address;
  await made(hub, "/rules", {
    id: "evening",
    name: RULE,
    trigger: { type: "device_state_changed", device_id: members[2]?.device.ieee_address, attribute: "on", to: true },
    actions: [{ type: "set_device_state", device_id: lamp, state: { brightness_pct: 60 } }],
  });
  await made(hub, "/blueprints/door-left-open/rules", {
    name: "Front door left open",
    inputs: { doors: [members[2]?.device.ieee_address], repeat_every: "15m" },
  });
  await made(hub, "/scenes", { name: "Reading", states: { [String(lamp)]: { on: true, brightness_pct: 80 } } });
  await made(hub, "/timers", { id: "eggs", name: "Eggs" });
  await made(hub, "/groups", { id: "both", name: "Both lamps", members: members.slice(0, 2).map(idOf) });
  await made(hub, "/schedules", { id: "heating", name: "Heating", plan: PLAN });
  if (virtual)
    await until("the virtual house is there", async () => {
      const devices = await hub.get<{ plugin_id: string }[]>("/devices");
      return devices.filter(({ plugin_id }) => plugin_id === "virtual").length >= 6;
    });
}

const idOf = ({ device }: Member): string => device.ieee_address;
const PLAN = [
  { days: ["mon", "tue", "wed", "thu", "fri"], from: "06:30", to: "08:00" },
  { days: ["fri", "sat"], from: "22:30", to: "01:30" },
  { days: ["sun"], from: "00:00", to: "24:00" },
];

async function made<T = unknown>(
  hub: HubProcess,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<T> {
  const answer = await hub.request("POST", path, { body, headers });
  if (answer.status >= 300) throw new Error(`POST ${path} answers ${answer.status}: ${answer.text}`);
  return answer.json() as T;
}

export const nameOf = (role: Role): string => `the-${role}`;
