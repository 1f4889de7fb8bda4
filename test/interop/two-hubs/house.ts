// The whole house: its machines, what runs on them, its devices, and which of its hubs commands them.
import { until } from "../../support/wait.ts";
import { createSwitch } from "../machines/network.ts";
import {
  type BrokerKind,
  createBrokers,
  createPostgres,
  createVictoria,
  type Database,
  POSTGRES,
} from "../machines/services.ts";
import { type Channel, serveChannel } from "./channel.ts";
import { type Fault, killOf, killOfHub, partingOf, splitOf, stopOf } from "./faults.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import { createHub, type Death, type Hub } from "./hub.ts";

export interface HouseOptions {
  binary: string;
  folder: string;
  hubs: 1 | 2;
  broker: BrokerKind;
  lease: "postgres" | "nats";
  sensors: number;
  everyMs: number;
  /** Of a hub that is killed. */
  death: Death;
}

export interface House extends AsyncDisposable {
  readonly hubs: readonly Hub[];
  readonly fleet: Fleet;
  readonly channel: Channel;
  /** By name. */
  readonly databases: Readonly<Record<string, Database>>;
  /** The administrator's, at either hub. */
  readonly token: string;
  /** The one hub that says it is the hub; undefined where none does, or both do. */
  commander(): Promise<Hub | undefined>;
  /** Until the numbers that each sensor is still to publish are at its lamp and in the database, and the standby has a copy. */
  whole(): Promise<void>;
  /** What could happen now. */
  faults(): Promise<Fault[]>;
}

/** NATS needs up to two and a half minutes to elect its leaders. */
const WHOLE_MS = 240_000;

/** Running, with devices that publish. */
export async function createHouse(options: HouseOptions): Promise<House> {
  const { binary, folder, sensors, everyMs } = options;
  await using stack = new AsyncDisposableStack();
  const here = createSwitch();
  const brokers = createBrokers(options.broker, folder);
  const victoria = createVictoria(folder);
  const postgres = options.hubs === 2 && options.lease === "postgres" ? createPostgres(folder) : undefined;
  const services = [...brokers.servers, victoria.server, ...(postgres ? [postgres.server] : [])];
  await Promise.all(services.map((server) => server.start()));
  const channel = stack.use(serveChannel(here));
  const lease = options.hubs === 1 ? "" : leaseText(postgres?.url ?? brokers.lease, postgres !== undefined);
  const hubs = Array.from({ length: options.hubs }, (_, index) =>
    createHub(binary, `hub${index + 1}`, 21 + index, folder),
  );
  const [first, second] = hubs;
  if (!first) throw new Error("a house has a hub");
  const settings = { brokers: brokers.urls, channel: channel.url, victoria: victoria.url, more: lease };
  first.furnish({ ...settings, postgres: postgres && { url: postgres.url, ...POSTGRES } }, sensors);
  await first.server.start();
  const token = await first.login();
  if (second) {
    const pair = ["standby", "--of", first.url, "--address", second.url, "--pair-only"];
    await second.run(pair, { HUB_TOKEN: token });
    await second.server.start();
  }
  const fleet = stack.use(createFleet(brokers.urls, sensors, options.broker === "mosquitto"));
  fleet.begin(everyMs);
  const parts = stack.move();

  const house: House = {
    ...{ hubs, fleet, channel, token },
    databases: { VictoriaMetrics: victoria, ...(postgres && { PostgreSQL: postgres }) },
    async commander() {
      const roles = await Promise.all(hubs.map((hub) => hub.role()));
      const those = hubs.filter((_, index) => roles[index] === "hub");
      return those.length === 1 ? those[0] : undefined;
    },
    async whole() {
      await until("one machine is the hub, and the other its standby", () => isSettled(hubs, house), {
        ...{ timeoutMs: WHOLE_MS, everyMs: 250 },
      });
      await untilAllArrives(house);
    },
    async faults() {
      const commander = await house.commander();
      const ofHubs = hubs.flatMap((hub) => [
        killOfHub(hub, hub === commander, options.death),
        splitOf(hub.server, hub === commander),
      ]);
      return [
        ...ofHubs,
        ...brokers.servers.map(killOf),
        // What it has acknowledged is only in its memory for five seconds: a kill would be its own loss.
        stopOf(victoria.server, "SIGINT"),
        ...(second ? [partingOf(first.server, second.server)] : []),
        // At once, without saying goodbye to anybody.
        ...(postgres ? [stopOf(postgres.server, "SIGQUIT")] : []),
      ];
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
  return house;
}

function leaseText(lease: string | undefined, isPostgres: boolean): string {
  if (lease === undefined) throw new Error("this broker keeps no lease: say --lease postgres");
  const { username, password } = POSTGRES;
  const login = isPostgres ? `username = "${username}"\npassword = "${password}"\n` : "";
  return `[standby]\nlease = "${lease}"\n${login}`;
}

async function isSettled(hubs: readonly Hub[], { commander }: House): Promise<boolean> {
  const hub = await commander();
  if (!hub) return false;
  const others = hubs.filter((other) => other !== hub);
  return (await Promise.all(others.map((other) => other.hasCopy()))).every(Boolean);
}

async function untilAllArrives({ fleet, databases }: House): Promise<void> {
  const wanted = fleet.devices.map((device) => ({ device, n: device.readings.size + 1 }));
  for (const { device, n } of wanted) {
    await until(`${device.lampId} is commanded ${n}`, () => Math.max(0, ...device.commands.keys()) >= n, {
      timeoutMs: WHOLE_MS,
    });
  }
  for (const [name, database] of Object.entries(databases)) {
    const hasAll = async (): Promise<boolean> => {
      const found = await database.numbers();
      return wanted.every(({ device, n }) => Math.max(0, ...(found.get(device.id) ?? [])) >= n);
    };
    await until(`${name} has these numbers`, hasAll, { timeoutMs: WHOLE_MS, everyMs: 200 });
  }
}
