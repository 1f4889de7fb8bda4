// The process edge: arguments, streams, signals, exit code. The only file that acts when it is loaded.

import { processIo } from "./cli/process-io.ts";
import { run } from "./cli/run.ts";

async function main(): Promise<void> {
  // What the hub makes is its user's alone, whoever starts it; what is for others says so.
  process.umask(0o077);
  process.exitCode = await run(process.argv.slice(2), processIo());
  process.exit();
}

void main();
