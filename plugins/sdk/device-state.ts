// What a plugin has said about one device, and what of a new saying is news.
import { type JsonObject, type LooseJson, withoutUndefined } from "./json.ts";

export interface DeviceState {
  attributes: JsonObject;
  /** True once `set` gave the whole state: from then on it is always sent whole and retained, so that the retained
   *  message never lags behind a patch. Before, the hub may know attributes that we do not: only patches are sent. */
  whole: boolean;
  /** False while nothing was said. */
  spoken: boolean;
}

export const NOTHING_SAID: DeviceState = { attributes: {}, whole: false, spoken: false };

/** The state after `set`, and whether that is news. */
export function replaceState(old: DeviceState, given: LooseJson): { state: DeviceState; changed: boolean } {
  const attributes = withoutUndefined(given);
  const changed = !old.whole || !Bun.deepEquals(attributes, old.attributes);
  return { state: { attributes, whole: true, spoken: true }, changed };
}

/** The state after `patch`, and those of the given attributes that are news (all of them with `force`). */
export function patchState(
  old: DeviceState,
  given: LooseJson,
  force = false,
): { state: DeviceState; news: JsonObject } {
  const news: JsonObject = {};
  const attributes = { ...old.attributes };
  for (const [key, value] of Object.entries(withoutUndefined(given))) {
    const before = old.whole ? (attributes[key] ?? null) : attributes[key];
    if (!force && Bun.deepEquals(before, value)) continue;
    news[key] = value;
    // In a state that is not whole the removal itself has to be remembered, to be said again after a reconnect.
    if (value === null && old.whole) delete attributes[key];
    else attributes[key] = value;
  }
  return { state: { attributes, whole: old.whole, spoken: old.spoken || Object.keys(news).length > 0 }, news };
}
