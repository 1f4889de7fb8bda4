// Rules while the clock of the house is set.
import { expect, test } from "bun:test";
import { openRulesRig, toml } from "../store/rig.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const YEAR = 365 * 24 * HOUR;

const ELAPSED = `conditions = [{ type = "time_elapsed", device_id = "door", attribute = "open", duration_secs = 600 }]`;

test.each([-HOUR, HOUR, 10 * YEAR, -10 * YEAR])(
  "time_elapsed counts the time that really passed: a step of %d ms",
  async (ms) => {
    await using rig = await openRulesRig({ "a.toml": toml("A", { top: ELAPSED }) });
    await rig.look();
    rig.house.put("door", { attributes: { open: true }, lastChanged: { open: rig.clock.now() } });
    await rig.clock.advance(9 * MINUTE);
    rig.clock.step(ms);
    await rig.shout();
    expect(rig.fired()).toHaveLength(0);
    await rig.clock.advance(MINUTE);
    await rig.shout();
    expect(rig.fired()).toHaveLength(1);
  },
);
