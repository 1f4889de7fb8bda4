// Wires the second machine of the house. What answers it is loaded when it first asks.
import { type MachineFile, readMachine, writeMachine } from "../../copies/standby/machine.ts";
import type { HistoryAnswer, StandbyMachine } from "../../copies/standby/protocol.ts";
import type { SourceClient } from "../../copies/standby/source/client.ts";
import { createSecondMachine, type SecondMachine } from "../../copies/standby/source/second-machine.ts";
import type { Handback } from "../../copies/standby/source/take-handback.ts";
import { forgetWanted, readWanted } from "../../copies/standby/wanted.ts";
import { uuid } from "../../kit/schema/ids.ts";
import { lazy } from "../../kit/time/lazy.ts";
import type { Exports } from "../../reach/export/running.ts";
import { createMeta } from "../../server/db/meta.ts";
import type { HubOptions } from "./options.ts";
import type { Port } from "./start/port.ts";
import type { House } from "./wire-house.ts";
import type { Notifications } from "./wire-notify.ts";
import type { Stores } from "./wire-stores.ts";

interface StandbyParts {
  history: House["history"];
  exports: Exports;
  notify: Port<Notifications>;
  stack: AsyncDisposableStack;
}

export function wireStandby(
  options: HubOptions,
  { db }: Pick<Stores, "db">,
  { history, exports, notify, stack }: StandbyParts,
): SecondMachine {
  const { home, platform, log, version } = options;
  const { clock, random } = platform;
  const { acknowledge } = options.config.standby;
  const standbyLog = log.child("standby");
  let file = options.standing ? undefined : knownMachine();

  /** A file that cannot be read is the matter of the start, which has read it before. */
  function knownMachine(): MachineFile | undefined {
    try {
      return readMachine(home);
    } catch {
      return undefined;
    }
  }

  let opened: SourceClient | undefined;
  const source = lazy((): SourceClient => {
    const { createSourceClient, sourceWorker } =
      require("../../copies/standby/source/client.ts") as typeof import("../../copies/standby/source/client.ts");
    const isUrgent = acknowledge === "standby";
    opened = createSourceClient({ worker: sourceWorker(), home, version, clock, log: standbyLog, isUrgent });
    return opened;
  });
  stack.defer(async () => opened?.[Symbol.asyncDispose]());
  const handback = lazy((): Handback => {
    const { createHandback } =
      require("../../copies/standby/source/take-handback.ts") as typeof import("../../copies/standby/source/take-handback.ts");
    return createHandback({
      wanted: () => readWanted(home),
      forget: () => forgetWanted(home),
      sinks: {
        samples: (series) => takeSamples(series, { history, exports }),
        messages: (...given) => notify.get().outbox.takeOver(...given),
      },
      log: standbyLog,
    });
  });
  return stack.use(
    createSecondMachine({
      ...{ meta: createMeta(db), random, clock, log: standbyLog, standing: () => options.standing, source, handback },
      acknowledge,
      forgetWanted: () => forgetWanted(home),
      own: () => options.standing?.machine.id ?? file?.id,
      epoch: () => options.standing?.epoch ?? file?.epoch ?? 0,
      noteOther(other) {
        const before = readMachine(home);
        if (!before && !other) return;
        const { other: last, ...rest } = before ?? { ...NEW_HUB, id: uuid(random) };
        file = { ...rest, ...(other && { other: otherOf(other, last) }) };
        writeMachine(home, file);
      },
    }),
  );
}

/** Exports have sent that time already, so they are ordered to send it again. */
async function takeSamples(
  series: HistoryAnswer["series"],
  { history, exports }: Pick<StandbyParts, "history" | "exports">,
): Promise<number> {
  const added = await history.merge(series);
  const times = series.flatMap((one) => one.filter((_, index) => index % 4 === 2)).map(Number);
  const stretch = { from: Math.min(...times), to: Math.max(...times) + 1 };
  const running = times.length > 0 ? exports.list().filter(({ state }) => state !== "off") : [];
  for (const { name } of running) await exports.backfill(name, stretch);
  return added;
}

const NEW_HUB = { version: 1, role: "hub", manual: false, epoch: 0, other: undefined } as const;

function otherOf({ id, address, key }: StandbyMachine & { key: string }, last: MachineFile["other"]) {
  const fingerprint = last?.id === id ? last.fingerprint : undefined;
  return { id, address, key, ...(fingerprint !== undefined && { fingerprint }) };
}
