// A notice that comes above a limit and goes only clearly below it, so that a value at the edge does not flicker.
import type { Notice, Plugin } from "../sdk/index.ts";

const RECOVER_BELOW = 2;

/** A function to be told each new value; `describe` words the notice for it. */
export function createThreshold(
  plugin: Pick<Plugin<unknown>, "notice" | "clearNotice">,
  limit: number,
  code: string,
  describe: (value: number) => Pick<Notice, "message" | "remedy">,
): (value: number) => void {
  let raised = false;
  return function judge(value) {
    if (value > limit) {
      raised = true;
      plugin.notice({ level: "warning", code, ...describe(value) });
    } else if (raised && value <= limit - RECOVER_BELOW) {
      raised = false;
      plugin.clearNotice(code);
    }
  };
}
