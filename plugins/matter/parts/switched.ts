// On and off as the other side commands it, also where that is shown already, and when a time runs out that it was commanded with.
import type { Endpoint } from "@matter/main";
import { OnOffServer } from "@matter/main/behaviors/on-off";
import type { Json, JsonObject } from "../../sdk/index.ts";
import { type Ask, tell, whenSet, whenTold } from "./part.ts";

export class SwitchedServer extends OnOffServer.with("Lighting") {
  override on() {
    tell(this, true);
    return super.on();
  }
  override off() {
    tell(this, false);
    return super.off();
  }
}

/** `others`: what else is told of it. */
export function whenSwitched<T extends Json = never>(
  endpoint: Endpoint,
  ask: Ask,
  others?: (told: T) => JsonObject,
): void {
  whenTold(endpoint, ask, (told: boolean | T) => (typeof told === "boolean" ? { on: told } : (others?.(told) ?? {})));
  // A level may switch it, too.
  whenSet(endpoint, ["onOff", "onOff"], ask, (on) => ({ on: on === true }));
}
