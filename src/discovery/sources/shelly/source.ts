// Shelly over MQTT. A device of the second generation says `PREFIX/online`; the hub asks it what it is.
import { isObject, type Json, type JsonObject } from "../../../core/json.ts";
import type { Heard, Sender, Source, SourceHost } from "../../source.ts";
import { describeShelly, rpc, type ShellyInfo } from "./gen2.ts";

const MOST_DEVICES = 1000;
const [INFO, STATUS] = [1, 2];

interface Known {
  sender: Sender;
  info: ShellyInfo | undefined;
  status: JsonObject | undefined;
}

export function createShellySource(host: SourceHost): Source {
  const devices = new Map<string, Known>();

  function known(sender: Sender, prefix: string): Known | undefined {
    const key = `${sender.name}\n${prefix}`;
    const found = devices.get(key);
    if (found || devices.size >= MOST_DEVICES) return found;
    const made: Known = { sender, info: undefined, status: undefined };
    devices.set(key, made);
    return made;
  }

  /** A device that is there is asked once; it may be a new one at an old place each time it comes online. */
  function online({ sender, topic, message }: Heard, prefix: string): boolean {
    if (!["true", "false"].includes(message().text)) return false;
    if (message().text === "false" || !known(sender, prefix)) return false;
    host.ask(sender, rpc(prefix, INFO, "Shelly.GetDeviceInfo"));
    host.ask(sender, rpc(prefix, STATUS, "Shelly.GetStatus"));
    // Its topic is read as one of the device as well, once that is described.
    return topic === "";
  }

  function answer({ sender, message }: Heard, prefix: string): boolean {
    const device = devices.get(`${sender.name}\n${prefix}`);
    const { json } = message();
    if (!device || !isObject(json)) return true;
    const { id, result } = json;
    if (!isObject(result)) return true;
    if (id === INFO) device.info = infoIn(prefix, result);
    if (id === STATUS) device.status = result;
    if (device.info && device.status) host.describe(sender, prefix, describeShelly(device.info, device.status));
    return true;
  }

  return {
    name: "shelly",
    hear(heard) {
      const { topic } = heard;
      if (topic.endsWith("/online")) return online(heard, topic.slice(0, -"/online".length));
      if (topic.endsWith("/hub/rpc")) return answer(heard, topic.slice(0, -"/hub/rpc".length));
      return false;
    },
  };
}

function infoIn(prefix: string, { mac, name, model, app }: JsonObject): ShellyInfo | undefined {
  if (typeof mac !== "string" || !/^[\da-f]{12}$/i.test(mac)) return undefined;
  const text = (value: Json | undefined): string | undefined =>
    typeof value === "string" && value !== "" ? value : undefined;
  return { prefix, mac, name: text(name), model: text(model), app: text(app) };
}
