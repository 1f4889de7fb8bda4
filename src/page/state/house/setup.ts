// How far the house is set up: derived from the house itself, so that it is right however it was done.

import { computed, signal } from "@preact/signals";
import { ApiError, get, patch, put } from "../hub/api.ts";
import { deviceList } from "./devices.ts";

export interface Setup {
  location: { latitude: number | null; longitude: number | null; timezone: string | null };
  machine_timezone: string;
  backup_schedule: string | null;
  mqtt_everywhere: boolean;
  /** The address of a broker that is not the hub's own. */
  mqtt_external: string | null;
  virtual_house: boolean | null;
  restart_needed: boolean;
  restarting: boolean;
}

export interface Area {
  id: string;
  name: string;
  devices: number;
  declared: boolean;
}

export const STEPS = ["password", "place", "areas", "connect", "scene", "rule", "backup"] as const;
export type Step = (typeof STEPS)[number];

export const setup = signal<Setup | undefined>(undefined);
export const areas = signal<readonly Area[]>([]);
const counted = signal<{ ownPassword: boolean; scenes: number; rules: number } | undefined>(undefined);

/** Not of a device, but of the hub and its machine. */
const INNER = new Set(["core", "sysmon"]);
export const houseDevices = computed(() => deviceList.value.filter(({ plugin_id }) => !INNER.has(plugin_id)));

/** Undefined until it is read. */
export const progress = computed<Record<Step, boolean> | undefined>(() => {
  if (!setup.value || !counted.value) return undefined;
  return {
    password: counted.value.ownPassword,
    place: setup.value.location.latitude !== null,
    areas: areas.value.length > 0,
    connect: houseDevices.value.length > 0,
    scene: counted.value.scenes > 0,
    rule: counted.value.rules > 0,
    backup: setup.value.backup_schedule !== null,
  };
});

export async function readSetup(): Promise<void> {
  setup.value = await get<Setup>("/system/setup");
}

export async function readAreas(): Promise<void> {
  areas.value = await get<Area[]>("/areas");
}

export async function readProgress(): Promise<void> {
  const [me, scenes, rules] = await Promise.all([
    get<{ password_is_initial: boolean }>("/auth/me"),
    get<unknown[]>("/scenes"),
    get<unknown[]>("/rules"),
    readSetup(),
    readAreas(),
  ]);
  counted.value = { ownPassword: !me.password_is_initial, scenes: scenes.length, rules: rules.length };
}

/** Writes into hub.toml. The hub restarts in place to use it; resolves when it does. */
export async function changeSetup(
  changes: Partial<Pick<Setup, "backup_schedule" | "mqtt_everywhere" | "virtual_house">>,
): Promise<void> {
  await takeEffect(await patch<Setup>("/system/setup?restart=true", changes));
}

export async function changePlace(place: Setup["location"]): Promise<void> {
  await takeEffect(await put<Setup>("/system/location?restart=true", place));
}

const RESTART_MS = 20_000;
const ASK_MS = 300;

async function takeEffect(changed: Setup): Promise<void> {
  setup.value = changed;
  if (!changed.restarting) return;
  const until = Date.now() + RESTART_MS;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    try {
      await readSetup();
      if (!setup.value?.restart_needed) return;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    if (Date.now() > until) throw new ApiError(0, { code: "unreachable" });
  }
}
