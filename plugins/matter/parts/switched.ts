// On and off as the other side commands it, also where that is shown already, and when a time runs out that it was commanded with.
import type { Endpoint } from "@matter/main";
import { OnOffServer } from "@matter/main/behaviors/on-off";
import type { Json, JsonObject } from "../../sdk/index.ts";
import { type Ask, handOn, whenCommanded, whenSet } from "./part.ts";

export class SwitchedServer extends OnOffServer.with("Lighting") {
  override on() {
    handOn(this, true);
    return super.on();
  }
  override off() {
    handOn(this, false);
    return super.off();
  }
}

/** `others`: what else is commanded of it. */
export function whenSwitched<T extends Json = never>(
  endpoint: Endpoint,
  ask: Ask,
  others?: (commanded: T) => JsonObject,
): void {
  whenCommanded(endpoint, ask, (commanded: boolean | T) =>
    typeof commanded === "boolean" ? { on: commanded } : (others?.(commanded) ?? {}),
  );
  // A level may switch it, too.
  whenSet(endpoint, ["onOff", "onOff"], ask, (on) => ({ on: on === true }));
}
