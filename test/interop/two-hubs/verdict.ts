// What the lamps, the channel and the databases must have at the end, and what of it is missing or there twice. What nothing could have
// prevented is let through, and said with how often it was: each such reason is narrow, and taken from what was seen, not from a promise.
import type { Channel } from "./channel.ts";
import { type Excuse, excusesOf } from "./excuses.ts";
import type { Happened } from "./faults.ts";
import type { Command, Device } from "./fleet.ts";
import type { Sample } from "./hub.ts";

export interface Evidence {
  devices: readonly Device[];
  channel: Pick<Channel, "messages">;
  /** For each database that the history goes to: by sensor. */
  databases: Readonly<Record<string, ReadonlyMap<string, ReadonlySet<number>>>>;
  /** What the hub itself recorded, by sensor. */
  history: ReadonlyMap<string, readonly Sample[]>;
  happened: readonly Happened[];
  standard: Standard;
}

/** `stated`: what docs/standby.md says may be lost with a hub, as long as it does not come back, is let through as well. */
export type Standard = "strict" | "stated";

export interface Finding {
  what: string;
  /** With what happened then. */
  cases: string[];
  /** Why this is let through. */
  permitted?: string;
}

/** Everything that is wrong, with its cases; then what is let through, also where there was none of it. */
export function judge(evidence: Evidence): Finding[] {
  const { devices, channel, databases, history, happened } = evidence;
  const excuses = excusesOf(evidence);
  const [wrong, permitted]: [Finding[], Finding[]] = [[], []];

  function find(what: string, isWrong: (device: Device, n: number) => boolean, reasons: readonly Excuse[] = []): void {
    const cases: string[] = [];
    const excused = new Map(reasons.map((reason): [Excuse, string[]] => [reason, []]));
    for (const device of devices)
      for (const [n, { at }] of device.readings) {
        if (n < device.first || !isWrong(device, n)) continue;
        const excuse = reasons.find(({ covers }) => covers(device, n));
        const text = `${device.id} ${n}${around(at, device.commands.get(n), happened)}`;
        (excuse ? excused.get(excuse) : cases)?.push(text);
      }
    wrong.push({ what, cases });
    for (const [{ why }, those] of excused) permitted.push({ what, cases: those, permitted: why });
  }

  const idsOf = ({ id }: Device, n: number): number => new Set(channel.messages.get(`${id} ${n}`)).size;
  find("numbers that no command has", (device, n) => !device.commands.has(n), excuses.command);
  find("numbers that two commands have", ({ commands }, n) => (commands.get(n) ?? []).length > 1);
  find("numbers that no message has", (device, n) => idsOf(device, n) === 0, excuses.message);
  find("numbers that two messages have", (device, n) => idsOf(device, n) > 1, excuses.secondMessage);
  const recorded = new Map([...history].map(([id, samples]) => [id, new Set(samples.map(({ value }) => value))]));
  find("numbers that the hub's own history lacks", ({ id }, n) => !recorded.get(id)?.has(n), excuses.history);
  for (const [name, numbers] of Object.entries(databases)) {
    const lacks = ({ id }: Device, n: number): boolean => !numbers.get(id)?.has(n);
    find(`numbers that ${name} lacks`, lacks, name === "VictoriaMetrics" ? excuses.lineProtocol : excuses.database);
  }
  wrong.push({
    what: "lamps that an older hub commanded after a newer one",
    cases: devices
      .filter(({ epochs }) => epochs.some((epoch, index) => epoch < (epochs[index - 1] ?? 0)))
      .map(({ lampId, epochs }) => `${lampId}: ${epochs}`),
  });
  return [...wrong, ...permitted];
}

function around(at: number, commands: readonly Command[] = [], happened: readonly Happened[]): string {
  const last = happened.findLast(({ from }) => from - 5000 <= at);
  if (!last) return "";
  const seconds = (ms: number): string => `${ms < 0 ? "-" : "+"}${(Math.abs(ms) / 1000).toFixed(2)} s`;
  const commanded = commands.map((command) => seconds(command.at - last.from)).join(", ");
  const written = last.unwrittenFrom === undefined ? "" : `, wrote ${seconds(last.unwrittenFrom - last.from)}`;
  return ` (${last.name}${written}; acknowledged ${seconds(at - last.from)}${commanded && `; commanded ${commanded}`})`;
}

/** What a service may get twice, and can recognise by the id. */
export function repeated({ channel }: Pick<Evidence, "channel">): number {
  return [...channel.messages.values()].reduce((sum, ids) => sum + ids.length - new Set(ids).size, 0);
}
