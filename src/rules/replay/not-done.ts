// What a simulation makes of effects that it does not have: what reaches people, plugins and other machines is taken to be sent, and
// what cannot be simulated is refused.
import { HubError } from "../../kit/schema/errors.ts";
import type { HouseEffects, RuleCalendars } from "../model/host.ts";

/** To be thrown by an effect, such as "moving a device": the action fails, and its trace shows this. */
export function notSimulated(what: string): HubError {
  return new HubError("unavailable", `${what} cannot be tried out: nothing was done`);
}

/** Nobody gets it. */
export const NOT_SENT = {
  notify: async () => ({ notes: [] }),
  clearNotification: () => false,
  publish: async () => {},
  request: async () => ({ status: 200, body: "" }),
  ping: async () => ({ reachable: true }),
  notifyPlugins() {},
} satisfies Partial<HouseEffects>;

/** Their events as of now: a simulation does not wait for changes of them. */
export function unwatched(calendars: RuleCalendars | undefined): RuleCalendars | undefined {
  return calendars && { events: (id) => calendars.events(id), onChange: () => ({ [Symbol.dispose]() {} }) };
}
