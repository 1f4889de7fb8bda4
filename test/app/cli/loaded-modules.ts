// Runs a command of the hub in this process until it is up, and prints which modules it has loaded and whether it asked the machine
// for its time zone.
import { processIo } from "../../../src/app/cli/process-io.ts";
import { run } from "../../../src/app/cli/run.ts";

let zoneAsked = false;
const { timeZoneId } = Temporal.Now;
Temporal.Now.timeZoneId = () => {
  zoneAsked = true;
  return timeZoneId();
};
const io = processIo();
const up = Promise.withResolvers<string>();
const stdout = {
  ...{ isTerminal: false, isJournal: false },
  write(text: string) {
    if (text.includes("the hub is up")) up.resolve("up");
  },
};
const code = await run(process.argv.slice(2), {
  ...io,
  platform: { ...io.platform, stdout },
  stopRequested: () => up.promise,
});
await Bun.write(Bun.stdout, JSON.stringify({ modules: Object.keys(require.cache), zoneAsked }));
process.exit(code);
