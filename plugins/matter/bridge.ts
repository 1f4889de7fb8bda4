// The bridged devices: an endpoint for each device of the hub that was chosen, kept like it, and gone with it.
import { createHash } from "node:crypto";
import { Endpoint, type ServerNode } from "@matter/main";
import { BridgedDeviceBasicInformationServer } from "@matter/main/behaviors/bridged-device-basic-information";
import { AggregatorEndpoint } from "@matter/main/endpoints/aggregator";
import { BridgedNodeEndpoint } from "@matter/main/endpoints/bridged-node";
import type { JsonObject, Log } from "../sdk/index.ts";
import { collect } from "./asked.ts";
import type { HubClient, HubDevice } from "./hub.ts";
import { type Battery, BatteryServer, batteryOf } from "./parts/battery.ts";
import { partsOf } from "./parts/index.ts";
import type { ClusterValues, Part } from "./parts/part.ts";

export interface BridgeOptions {
  node: ServerNode;
  hub: Pick<HubClient, "device" | "devices" | "command">;
  log: Log;
}

/** Which of the hub's devices are bridged. */
export type Chosen = (device: HubDevice) => boolean;

export interface Bridge {
  /** From now on these; what is bridged already keeps its number. */
  choose(chosen: Chosen): Promise<void>;
  /** Asks the hub for all devices and makes the bridge like that. */
  refresh(): Promise<void>;
  /** One device was changed, added or removed. */
  changed(id: string): Promise<void>;
  /** A button of one was used, in the device's own words. */
  pressed(id: string, action: string): Promise<void>;
  readonly size: number;
}

interface Bridged {
  endpoint: Endpoint;
  parts: { part: Part; endpoint: Endpoint }[];
  /** What it can do; with another text it is made anew. */
  features: string;
  device: HubDevice;
}

/** When a device has not done what it was asked to, the other side gets its state. */
const RETRY_MS = 10_000;

export async function createBridge({ node, hub, log }: BridgeOptions): Promise<Bridge> {
  const aggregator = new Endpoint(AggregatorEndpoint, { id: "aggregator" });
  await node.add(aggregator);
  const bridged = new Map<string, Bridged>();
  let chosen: Chosen = () => false;
  // One change after the other: endpoints are made and removed in several steps.
  let turn: Promise<void> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    turn = turn.then(work, work);
    return turn;
  };

  async function apply(device: HubDevice): Promise<void> {
    const parts = chosen(device) ? partsOf(device) : [];
    if (parts.length === 0) return remove(device.id);
    const battery = batteryOf(device);
    const features = JSON.stringify([battery?.features, ...parts.map(({ id, features = "" }) => [id, features])]);
    const known = bridged.get(device.id);
    if (known?.features === features) {
      known.device = device;
      return show(known);
    }
    // Its number stays: that goes by the id.
    if (known) await known.endpoint.close();
    bridged.delete(device.id);
    const made = make(device, { parts, battery, features });
    await aggregator.add(made.endpoint);
    bridged.set(device.id, made);
    const ask = collect(device.id, (wanted) => command(made, wanted));
    for (const { part, endpoint } of made.parts) part.watch?.(endpoint, ask);
  }

  async function remove(id: string): Promise<void> {
    const known = bridged.get(id);
    if (!known) return;
    bridged.delete(id);
    await known.endpoint.delete();
  }

  async function show({ endpoint, parts, device }: Bridged): Promise<void> {
    await endpoint.set({
      bridgedDeviceBasicInformation: { reachable: device.available, nodeLabel: shortened(device.name) },
      ...batteryOf(device)?.values,
    } as never);
    for (const { part, endpoint: own } of parts) {
      const values = part.values(device.attributes);
      // Each for itself: two at once, while a command waits with one of them, could wait for each other.
      for (const [cluster, shown] of Object.entries(values))
        if (Object.keys(shown).length > 0) await own.set({ [cluster]: shown } as never);
    }
  }

  async function command(to: Bridged, wanted: JsonObject): Promise<void> {
    const { id } = to.device;
    try {
      await hub.command(id, wanted);
    } catch (error) {
      log.warn("a command is refused", { device: id, error: String(error) });
      throw error;
    }
    // Not what was removed or made anew meanwhile.
    const again = () => void inTurn(async () => (bridged.get(id) === to ? show(to) : undefined)).catch(report);
    setTimeout(again, RETRY_MS);
  }

  const report = (error: unknown): void => log.error("a device cannot be bridged", { error: String(error) });

  /** A device that Matter refuses must not keep the others away. */
  async function tried(device: HubDevice): Promise<void> {
    try {
      await apply(device);
    } catch (error) {
      log.error("a device cannot be bridged", { device: device.id, error: String(error) });
    }
  }

  const refresh = (): Promise<void> =>
    inTurn(async () => {
      const devices = await hub.devices();
      const there = new Set(devices.map(({ id }) => id));
      for (const id of [...bridged.keys()]) if (!there.has(id)) await remove(id);
      for (const device of devices) await tried(device);
    });

  return {
    get size() {
      return bridged.size;
    },
    choose(wanted) {
      chosen = wanted;
      return refresh();
    },
    refresh,
    changed: (id) =>
      inTurn(async () => {
        const device = await hub.device(id);
        if (device) await tried(device);
        else await remove(id);
      }),
    pressed: (id, action) =>
      inTurn(async () => {
        for (const { part, endpoint } of bridged.get(id)?.parts ?? []) await part.press?.(endpoint, action);
      }),
  };
}

interface Made {
  parts: readonly Part[];
  battery: Battery | undefined;
  features: string;
}

function make(device: HubDevice, { parts, battery, features }: Made): Bridged {
  const id = endpointId(device.id);
  const about = { bridgedDeviceBasicInformation: aboutDevice(device), ...battery?.values };
  const [only] = parts;
  if (only && parts.length === 1) {
    const type = (only.type as typeof BridgedNodeEndpoint).with(BridgedDeviceBasicInformationServer);
    const whole = battery ? type.with(BatteryServer) : type;
    const endpoint = new Endpoint(whole, { id, ...about, ...valuesOf(only, device) } as never) as Endpoint;
    return { endpoint, parts: [{ part: only, endpoint }], features, device };
  }
  const children = parts.map((part) => ({
    part,
    endpoint: new Endpoint(part.type, { id: part.id, ...valuesOf(part, device) } as never) as Endpoint,
  }));
  const endpoint = new Endpoint(battery ? BridgedNodeEndpoint.with(BatteryServer) : BridgedNodeEndpoint, {
    id,
    ...about,
    parts: children.map((child) => child.endpoint),
  } as never) as Endpoint;
  return { endpoint, parts: children, features, device };
}

function valuesOf({ fixed = {}, values }: Part, { attributes }: HubDevice): ClusterValues {
  const reported = values(attributes);
  const clusters = new Set([...Object.keys(fixed), ...Object.keys(reported)]);
  return Object.fromEntries([...clusters].map((cluster) => [cluster, { ...fixed[cluster], ...reported[cluster] }]));
}

function aboutDevice(device: HubDevice): Record<string, unknown> {
  return {
    nodeLabel: shortened(device.name),
    productName: shortened(device.model ?? device.device_type ?? "Device"),
    vendorName: shortened(device.manufacturer ?? "hub"),
    uniqueId: createHash("sha256").update(device.id).digest("hex").slice(0, 32),
    reachable: device.available,
  };
}

function shortened(text: string): string {
  return [...text].slice(0, 32).join("").trim() || "Device";
}

/** Ids of the hub may hold what Matter's storage takes for a separator. */
function endpointId(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, (character) => `~${character.codePointAt(0)?.toString(16)}~`);
}
