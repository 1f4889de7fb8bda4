// Wires the pictures of devices: fetched through the same door as those of messages, forgotten with their device.
import { type DevicePictures, startDevicePictures } from "../../house/pictures/pictures.ts";
import { background } from "../../kit/lifecycle/lifecycle.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { DeliveryError } from "../../reach/notify/channel.ts";
import { guardedFetch } from "../../reach/notify/http/guarded-fetch.ts";
import { createLogins } from "../../reach/notify/pictures/logins.ts";
import { fetchSnapshot } from "../../reach/notify/pictures/snapshot.ts";
import type { HubOptions } from "./options.ts";
import type { House } from "./wire-house.ts";
import type { Stores } from "./wire-stores.ts";

const HINT = 'to take pictures from the house itself, set [pictures] addresses = "house"';

function withHint(error: unknown): never {
  if (!(error instanceof DeliveryError) || error.fault.hint === undefined) throw error;
  throw new HubError("upstream_failed", `${error.message}: ${error.fault.hint}`, { cause: error });
}

export function wirePictures(
  { config, home, platform, log }: HubOptions,
  { db, budget }: Stores,
  { house: { registry }, stack }: { house: House; stack: AsyncDisposableStack },
): DevicePictures {
  const { pictures: section, notify } = config;
  const own = log.child("pictures");
  const logins = createLogins(platform.random);
  const fetch =
    section.addresses === "internet" ? guardedFetch(platform.fetch, { reach: "internet", hint: HINT }) : platform.fetch;
  const pictures = stack.use(
    startDevicePictures({
      ...{ section, budget, log: own, clock: platform.clock, folder: home.devicePictures },
      fetch: (address, signal) =>
        fetchSnapshot(address, { fetch, hosts: notify.picture_hosts, logins }, signal).catch(withHint),
      // A house that was lost has no devices; its pictures may still be wanted.
      devices: () => (db.copy || db.setAside ? undefined : [...registry.list()].map(({ id }) => id)),
    }),
  );
  registry.onRemoved("pictures", ({ id }) => background(own, "pictures", pictures.forget(id)));
  return pictures;
}
