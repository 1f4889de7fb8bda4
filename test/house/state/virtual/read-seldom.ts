// Days of virtual time in which nobody changes modes.toml. The hub of these tests looks at it every 400 ms, as the kernel reports it
// nothing: that is a quarter of a million looks a day.
import type { House } from "./rig.ts";

/** The pause between two looks at a file. Nothing else of the house waits in vain: the sun is looked at every ten seconds. */
const LOOK_EVERY_MS = 10 * 60_000;

/** The clock of this house lets nobody look at a file more often than that, also after restarts. For tests that change no file. */
export function readSeldom(house: House): House {
  const { after } = house.clock;
  house.clock.after = (name, ms, fn) => after(name, name.startsWith("watch ") ? LOOK_EVERY_MS : ms, fn);
  return house;
}
