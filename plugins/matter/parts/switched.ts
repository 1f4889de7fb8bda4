// On and off as the other side commands it, also where that is shown already.
import type { Endpoint } from "@matter/main";
import { OnOffServer } from "@matter/main/behaviors/on-off";
import { type Ask, askAgain, whenAskedAgain, whenSet } from "./part.ts";

export class SwitchedServer extends OnOffServer.with("Lighting") {
  override on() {
    if (this.state.onOff) askAgain(this, true);
    return super.on();
  }
  override off() {
    if (!this.state.onOff) askAgain(this, false);
    return super.off();
  }
}

export function whenSwitched(endpoint: Endpoint, ask: Ask): void {
  whenSet(endpoint, "onOff", "onOff", (on) => ask({ on: on === true }));
  whenAskedAgain(endpoint, (on) => ask({ on }));
}
