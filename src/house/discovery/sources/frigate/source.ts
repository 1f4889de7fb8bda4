// Frigate, which announces nothing: its cameras are known by what they publish. That is a snapshot, an event, or the list of cameras in
// `BASE/stats`, whatever the base topic is.
import { isObject } from "../../../../kit/schema/json.ts";
import { extensionOf } from "../../../../kit/text/picture-type.ts";
import type { Incoming, Sender, Source, SourceHost } from "../../source.ts";
import { describeCamera, eventIn, type FrigateCamera } from "./camera.ts";

const MAX_CAMERAS = 200;
const MAX_OBJECTS = 50;
const MAX_JSON_BYTES = 262_144;
const NAME = /^[\w-]{1,100}$/;

interface Known extends FrigateCamera {
  objects: Set<string>;
}

export function createFrigateSource(host: SourceHost): Source {
  /** By account, then by base topic and name. */
  const accounts = new Map<string, Map<string, Known>>();

  function camerasOf({ name }: Sender): Map<string, Known> {
    const known = accounts.get(name) ?? new Map<string, Known>();
    accounts.set(name, known);
    return known;
  }

  function see(sender: Sender, base: string, { name, object }: { name: string; object?: string | undefined }): void {
    if (!NAME.test(name) || !sender.mayPublish(`${base}/${name}/detect/set`)) return;
    const cameras = camerasOf(sender);
    const key = `${base}/${name}`;
    const known = cameras.get(key);
    if (!known && cameras.size >= MAX_CAMERAS) return;
    const camera = known ?? { base, name, objects: new Set<string>() };
    cameras.set(key, camera);
    const isNew = object !== undefined && NAME.test(object) && !camera.objects.has(object);
    if (isNew && camera.objects.size < MAX_OBJECTS) camera.objects.add(object);
    else if (known && host.knows(sender, key)) return;
    host.describe(sender, key, describeCamera({ ...camera, objects: new Set(camera.objects) }));
  }

  /** Counts of objects of a camera that is known: `BASE/CAMERA/person`. */
  function receiveCount({ sender, topic, payload }: Incoming): void {
    const cameras = accounts.get(sender.name);
    if (!cameras) return;
    const cut = topic.lastIndexOf("/");
    const camera = cameras.get(topic.slice(0, cut));
    if (!camera || payload.length > 5 || !/^\d+$/.test(Buffer.from(payload).toString("latin1"))) return;
    see(sender, camera.base, { name: camera.name, object: topic.slice(cut + 1) });
  }

  function receiveStats({ message }: Incoming): string[] {
    const { json } = message();
    if (!isObject(json) || !isObject(json.cameras) || !isObject(json.detectors)) return [];
    return Object.keys(json.cameras);
  }

  return {
    name: "frigate",
    receive(incoming) {
      const { sender, topic, payload } = incoming;
      if (topic.endsWith("/snapshot")) {
        const [object, name, ...levels] = topic.split("/").reverse().slice(1);
        const base = levels.reverse().join("/");
        if (base !== "" && name !== undefined && extensionOf(payload)) see(sender, base, { name, object });
      } else if (payload.length > MAX_JSON_BYTES) return false;
      else if (topic.endsWith("/events")) {
        const event = eventIn(incoming.message().json);
        if (event) see(sender, topic.slice(0, -"/events".length), { name: event.camera, object: event.label });
      } else if (topic.endsWith("/stats")) {
        for (const name of receiveStats(incoming)) see(sender, topic.slice(0, -"/stats".length), { name });
      } else receiveCount(incoming);
      return false;
    },
  };
}
