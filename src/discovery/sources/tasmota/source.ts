// Tasmota's own protocol: `tasmota/discovery/MAC/config` and `…/sensors`, retained; an empty one takes it back.
import { isObject, type JsonObject } from "../../../core/json.ts";
import type { Heard, Source, SourceHost } from "../../source.ts";
import { describeTasmota, readTasmotaConfig, type TasmotaConfig } from "./device.ts";

interface Known {
  config: TasmotaConfig | undefined;
  sensors: JsonObject | undefined;
}

const LARGEST_BYTES = 65_536;
const MOST_DEVICES = 1000;

/** `prefix`: `tasmota/discovery`. */
export function createTasmotaSource(host: SourceHost, prefix = "tasmota/discovery"): Source {
  const devices = new Map<string, Known>();

  function hear({ sender, topic, payload, message }: Heard): boolean {
    if (!topic.startsWith(`${prefix}/`)) return false;
    const [mac = "", kind] = topic.slice(prefix.length + 1).split("/");
    if (kind !== "config" && kind !== "sensors") return true;
    const id = `${sender.name}\n${mac}`;
    if (payload.length === 0) {
      if (kind === "config" && devices.delete(id)) host.withdraw(sender, mac);
      host.broken(sender, mac, undefined);
      return true;
    }
    const known = devices.get(id) ?? { config: undefined, sensors: undefined };
    if (!devices.has(id) && devices.size >= MOST_DEVICES) return true;
    devices.set(id, known);
    const { json } = message();
    if (payload.length > LARGEST_BYTES || !isObject(json)) {
      host.broken(sender, mac, `${kind}: must be a JSON object of at most ${LARGEST_BYTES} bytes`);
      return true;
    }
    if (kind === "sensors") known.sensors = json;
    else known.config = readTasmotaConfig(json);
    describe(mac, known, { sender, isConfig: kind === "config" });
    return true;
  }

  function describe(
    mac: string,
    { config, sensors }: Known,
    { sender, isConfig }: { sender: Heard["sender"]; isConfig: boolean },
  ): void {
    if (!config) {
      if (isConfig)
        host.broken(sender, mac, "config: mac, t, ft and tp are needed; is it a Tasmota of version 9.2 or later?");
      return;
    }
    const device = describeTasmota(config, sensors);
    const foreign = device.topics.find((one) => !sender.mayPublish(one));
    if (foreign !== undefined) {
      host.broken(sender, mac, `${sender.name} announces the topic ${foreign}, which it may not publish to itself`);
      return;
    }
    host.broken(sender, mac, undefined);
    host.describe(sender, mac, device);
  }

  return { name: "tasmota", hear };
}
