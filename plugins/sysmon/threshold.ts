// A notice with hysteresis: it is raised above a limit and cleared clearly below it, so that it does not flicker at the limit.
import type { Notice, Plugin } from "../sdk/index.ts";

const RECOVER_BELOW = 2;

/** Returns a function to call with each new value; `describe` makes the text of the notice. */
export function createThreshold(
  plugin: Pick<Plugin<unknown>, "notice" | "clearNotice">,
  limit: number,
  code: string,
  describe: (value: number) => Pick<Notice, "message" | "remedy">,
): (value: number) => void {
  let raised = false;
  return function checkLimit(value) {
    if (value > limit) {
      raised = true;
      plugin.notice({ level: "warning", code, ...describe(value) });
    } else if (raised && value <= limit - RECOVER_BELOW) {
      raised = false;
      plugin.clearNotice(code);
    }
  };
}
