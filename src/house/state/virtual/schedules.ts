// Schedules: devices that are on in some stretches of the week. One timer waits for the next change of all of them; it looks at
// the wall clock every 30 s at least, because that may be set.
import { guarded } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { readGivenName } from "../../../kit/schema/ids.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { Zone } from "../../../kit/time/zone.ts";
import type { StateDb } from "../../../server/db/state-db.ts";
import type { Device } from "../device.ts";
import type { Registry } from "../registry.ts";
import { createOwnDevices, idFor, type OwnDeviceType } from "./own-devices.ts";
import { readEnabled } from "./read-command.ts";
import { createScheduleStore, type StoredSchedule } from "./schedule-store.ts";
import { isoAt } from "./timer-attributes.ts";
import { type PlanState, planAt, readWeekPlan, type WeekPlan } from "./week-plan.ts";

export interface NewSchedule {
  /** Made from the name when absent. */
  id?: string;
  name: string;
  area?: string | null;
  /** True when absent. */
  enabled?: boolean;
  plan: WeekPlan;
}

export type ScheduleEdit = Partial<Omit<NewSchedule, "id">>;

export interface Schedule {
  device: Device;
  plan: WeekPlan;
  enabled: boolean;
}

export interface Schedules extends Disposable, Pick<OwnDeviceType, "is" | "prepare" | "remove"> {
  list(): Schedule[];
  /** Throws HubError `not_found`. */
  get(id: string): Schedule;
  /** Throws HubError `invalid`, or `conflict` for a taken id or where there are too many. */
  create(schedule: NewSchedule): Schedule;
  edit(id: string, edit: ScheduleEdit): Schedule;
  /** Brings them into the state of now, and follows the clock from now on. */
  start(): void;
}

export interface SchedulesOptions {
  registry: Registry;
  db: Pick<StateDb, "durable" | "faults">;
  clock: Clock;
  log: Log;
  /** The time zone of the house. */
  zone: Zone;
}

const MAX_HOP_MS = 30_000;
const EMPTY: StoredSchedule = { plan: [], enabled: true };
const DESCRIPTION: JsonObject = {
  type: "object",
  properties: {
    on: { type: "boolean", title: "On", readOnly: true },
    next_change: { type: ["string", "null"], format: "date-time", title: "Next change", readOnly: true },
    enabled: { type: "boolean", title: "Enabled" },
  },
};

export function createSchedules({ registry, db, clock, log, zone }: SchedulesOptions): Schedules {
  const own = createOwnDevices({ registry, log, deviceType: "schedule" });
  const store = createScheduleStore(db);
  const stored = store.load();
  /** What holds now, by id; of those that are enabled. */
  const states = new Map<string, PlanState>();
  let timer: Timer | undefined;
  let started = false;
  const removals = registry.onRemoved("schedules", ({ id }) => {
    states.delete(id);
    if (stored.delete(id)) store.remove(id);
  });

  const storedOf = (id: string): StoredSchedule => stored.get(id) ?? EMPTY;
  const scheduleOf = (device: Device): Schedule => ({ device, ...storedOf(device.id) });

  /** Its attributes at this moment; it is followed from now on. */
  function attributesNow(id: string, { plan, enabled }: StoredSchedule): JsonObject {
    const state = enabled ? planAt(plan, zone, clock.now()) : undefined;
    if (state) states.set(id, state);
    else states.delete(id);
    return { enabled, on: state?.on === true, next_change: state?.until === undefined ? null : isoAt(state.until) };
  }

  function followed(id: string): void {
    own.happened(id, attributesNow(id, storedOf(id)));
  }

  function save(id: string, schedule: StoredSchedule): void {
    store.save(id, schedule);
    stored.set(id, schedule);
  }

  const wake = guarded(log, "schedules", () => {
    const now = clock.now();
    for (const [id, { since, until = Number.POSITIVE_INFINITY }] of [...states])
      if (now < since || now >= until) followed(id);
    arm();
  });

  function arm(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (!started || states.size === 0) return;
    const next = Math.min(...[...states.values()].map(({ until = Number.POSITIVE_INFINITY }) => until));
    timer = clock.after("schedules", Math.min(MAX_HOP_MS, Math.max(1, next - clock.now())), wake);
  }

  function setEnabled(device: Device, enabled: boolean, cause: JsonObject): void {
    const schedule = { ...storedOf(device.id), enabled };
    save(device.id, schedule);
    own.commanded(device.id, attributesNow(device.id, schedule), cause);
    arm();
  }

  return {
    is: own.is,
    list: () => own.list().map(scheduleOf),
    get: (id) => scheduleOf(own.get(id)),
    create({ name: givenName, area, enabled = true, plan, id: givenId }) {
      const schedule = { plan: readWeekPlan(plan), enabled };
      const name = readGivenName(givenName);
      const id = givenId ?? idFor(registry, name);
      own.checkNew(id);
      save(id, schedule);
      own.create({ id, name }, attributesNow(id, schedule));
      registry.schema(id, DESCRIPTION, own.get(id).pluginId);
      if (typeof area === "string") own.edit(id, { area });
      arm();
      return scheduleOf(own.get(id));
    },
    edit(id, { plan, enabled, ...described }) {
      const before = storedOf(own.get(id).id);
      const schedule = { plan: plan ? readWeekPlan(plan) : before.plan, enabled: enabled ?? before.enabled };
      if (Object.keys(described).length > 0) own.edit(id, described);
      save(id, schedule);
      followed(id);
      arm();
      return scheduleOf(own.get(id));
    },
    remove: own.remove,
    prepare(device, wanted, cause) {
      const enabled = readEnabled(wanted);
      return () => setEnabled(device, enabled, cause);
    },
    start() {
      started = true;
      for (const { id } of own.list()) followed(id);
      arm();
    },
    [Symbol.dispose]() {
      removals[Symbol.dispose]();
      timer?.[Symbol.dispose]();
    },
  };
}
