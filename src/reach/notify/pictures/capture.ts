// Takes a picture from any of its sources.
import { HubError } from "../../../kit/schema/errors.ts";
import { type ImageSource, parseImageSource } from "../../../kit/text/image-source.ts";
import { type Clock, sleep } from "../../../kit/time/clock.ts";
import type { Picture } from "../channel.ts";
import { readHouseFile } from "./house-file.ts";
import { type MqttPictureDeps, nextPicture } from "./mqtt-pictures.ts";
import { pictureOf, plainName } from "./picture-type.ts";
import { fetchSnapshot, type PicturedDevice, type SnapshotDeps, type SnapshotOf, snapshotUrl } from "./snapshot.ts";

export interface CaptureDeps extends SnapshotDeps, MqttPictureDeps {
  clock: Clock;
  /** HUB_HOME. */
  home: string;
  device: (id: string) => PicturedDevice | undefined;
  /** What devices have shown, as the hub keeps it; `of` is which of a device's pictures. */
  shown: ShownPictures;
}

export interface ShownPictures {
  find(id: string, wanted: { of?: string | undefined }): Promise<ShownPicture | undefined>;
  next(id: string, of: string | undefined, signal: AbortSignal): Promise<ShownPicture | undefined>;
}

interface Shot {
  readonly at?: number;
  readonly bytes: Uint8Array;
}

interface ShownPicture extends Shot {
  readonly at: number;
}

/** An alarm waits no longer for its picture. */
const WITHIN_MS = 5000;
/** How long a newer picture may take until a retained one will do. */
const NEWER_WITHIN_MS = 2000;
/** A camera that noticed something sends its picture a little before or after whoever rings. */
const OF_THE_MOMENT_MS = 5000;

export interface Captured extends Picture {
  /** When the camera showed it, epoch ms; just now where it is absent. */
  readonly at?: number | undefined;
}

/** `image` as the rule gives it. Rejects within some seconds with a HubError that says why in plain words. */
export async function capture(image: string, deps: CaptureDeps): Promise<Captured> {
  const source = parseImageSource(image);
  if ("problem" in source) throw new HubError("invalid", source.problem);
  const ended = new AbortController();
  const timeout = sleep(deps.clock, "picture", WITHIN_MS, ended.signal).then(() => {
    throw new HubError("upstream_failed", `it took longer than ${WITHIN_MS / 1000} s`);
  });
  try {
    const { bytes, at } = await Promise.race([shotOf(source, deps, ended.signal), timeout]);
    const picture = pictureOf(nameOf(source), bytes);
    if (!picture) throw new HubError("invalid", "what came is not a JPEG, PNG, GIF or WebP picture");
    return { ...picture, at };
  } finally {
    ended.abort();
  }
}

/** For people, without an extension. */
export function nameOf(source: ImageSource): string {
  if (source.kind === "device") return plainName(source.id);
  if (source.kind === "mqtt") return plainName(source.topic);
  return plainName(source.path.replace(/^.*\//, "").replace(/\.\w+$/, ""));
}

async function shotOf(source: ImageSource, deps: CaptureDeps, signal: AbortSignal): Promise<Shot> {
  switch (source.kind) {
    case "device":
      return (
        (await shownBy(source, deps, signal)) ?? {
          bytes: await fetchSnapshot(snapshotUrl(deps.device(source.id), source), deps, signal),
        }
      );
    case "mqtt": {
      const soon = sleep(deps.clock, "picture", NEWER_WITHIN_MS, signal);
      return { bytes: await nextPicture(source.topic, deps, { signal, soon }) };
    }
    case "file":
      return { bytes: await readHouseFile(deps.home, source.path) };
  }
}

/** Of the moment: one that just came, else the next if it comes soon, else the last. Undefined where the device shows nothing itself. */
async function shownBy(
  { id, attribute }: SnapshotOf,
  { clock, device, shown }: CaptureDeps,
  signal: AbortSignal,
): Promise<ShownPicture | undefined> {
  if (attribute !== undefined && device(id)?.attributes[attribute] !== undefined) return undefined;
  const last = await shown.find(id, { of: attribute });
  if (!last || clock.now() - last.at < OF_THE_MOMENT_MS) return last;
  const soon = sleep(clock, "picture", NEWER_WITHIN_MS, signal).then(() => undefined);
  const over = new AbortController();
  try {
    const next = shown.next(id, attribute, AbortSignal.any([signal, over.signal]));
    return (await Promise.race([next, soon])) ?? last;
  } finally {
    over.abort();
  }
}
