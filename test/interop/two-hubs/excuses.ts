// Why something may be missing, or be there twice, although the house works: what no hub can prevent that acknowledges a message when it
// takes it, and writes readings together.
import type { Happened } from "./faults.ts";
import type { Device } from "./fleet.ts";
import { FLUSH_SECS, LOST_COPY_MS, LOST_MESSAGES_MS, LOST_MS, type Sample } from "./hub.ts";
import type { Evidence } from "./verdict.ts";

export interface Excuse {
  why: string;
  covers(device: Device, n: number): boolean;
}

export interface Excuses {
  command: Excuse[];
  message: Excuse[];
  secondMessage: Excuse[];
  history: Excuse[];
  database: Excuse[];
  /** A database that has one value of a device for each millisecond. */
  lineProtocol: Excuse[];
}

/** A reading may come to the hub so long after the broker acknowledged it, and a command so long to the lamp. */
const IN_FLIGHT_MS = 500;
/** What mosquitto has only in its memory, and what the hub had under way to it and reports as failed. */
const UNSAVED_MS = 1500;

export function excusesOf({ history, happened, standard }: Evidence): Excuses {
  /** Whether the broker acknowledged it shortly before or after the beginning of such a thing. */
  const isNear = (what: (one: Happened) => boolean, beforeMs: number): Excuse["covers"] =>
    function covers({ readings }, n) {
      const at = readings.get(n)?.at ?? 0;
      return happened.some((one) => what(one) && at > one.from - beforeMs && at < one.from + IN_FLIGHT_MS);
    };
  const isKilled = ({ takesHub, name }: Happened): boolean => takesHub && name.endsWith(" killed");
  const isBrokerKilled = ({ name }: Happened): boolean => name === "broker killed";
  const overtaken = new Map([...history].map(([id, samples]) => [id, overtakenIn(samples)]));

  const unsaved: Excuse = {
    why: `mosquitto was killed before it had saved them, or with the command under way to it: of the ${seconds(UNSAVED_MS)} before`,
    covers: isNear(isBrokerKilled, UNSAVED_MS),
  };
  const neverCame: Excuse = {
    why: "mosquitto was killed before it had saved them, so no hub was ever told: no command has them either",
    covers: (device, n) => !device.commands.has(n) && unsaved.covers(device, n),
  };
  const unwritten: Excuse = {
    why: `with --death power, the memory of the hub's machine was lost before its next write to the disk, which comes after ${FLUSH_SECS} s (flush_secs)`,
    covers: ({ commands }, n) =>
      happened.some(({ from, unwrittenFrom = Number.POSITIVE_INFINITY }) =>
        (commands.get(n) ?? []).some(({ at }) => at >= unwrittenFrom && at < from + IN_FLIGHT_MS),
      ),
  };
  const unposted: Excuse = {
    why: `the hub was killed after the rule's command, and before its message was on the disk: of the ${seconds(IN_FLIGHT_MS)} before`,
    covers: isNear(isKilled, IN_FLIGHT_MS),
  };
  const unacknowledged: Excuse = {
    why: `the hub was gone before its acknowledgement was with the broker, which told the next hub as well: of the ${seconds(IN_FLIGHT_MS)} before`,
    covers: isNear(({ takesHub }) => takesHub, IN_FLIGHT_MS),
  };
  const sameMoment: Excuse = {
    why: "line protocol keeps one value for each millisecond, and the next one came within the same",
    covers: ({ id }, n) => overtaken.get(id)?.has(n) === true,
  };
  const stated = (ms: number): Excuse[] =>
    standard === "strict"
      ? []
      : [
          {
            why: `they are of the ${seconds(ms)} before a hub was gone, and --verdict stated lets them be lost`,
            covers: isNear(({ takesHub }) => takesHub, ms),
          },
        ];
  const database = [neverCame, unwritten, ...stated(LOST_MS)];
  return {
    command: [unsaved],
    message: [neverCame, unposted, ...stated(LOST_MESSAGES_MS)],
    secondMessage: [unacknowledged, ...stated(LOST_MESSAGES_MS)],
    history: [neverCame, unwritten, ...stated(LOST_COPY_MS)],
    database,
    lineProtocol: [sameMoment, ...database],
  };
}

const seconds = (ms: number): string => `${ms / 1000} s`;

/** Numbers that another one follows within the same millisecond. */
function overtakenIn(samples: readonly Sample[]): Set<number> {
  return new Set(
    samples.filter(({ timestamp }, index) => samples[index + 1]?.timestamp === timestamp).map(({ value }) => value),
  );
}
