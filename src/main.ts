// The process platform: arguments, streams, signals, exit code. The only file that acts when it is loaded.

import { processIo } from "./app/cli/process-io.ts";
import { run } from "./app/cli/run.ts";

async function main(): Promise<void> {
  // Only the hub's user may read its files, unless a mode is set explicitly.
  process.umask(0o077);
  process.exitCode = await run(process.argv.slice(2), processIo());
  process.exit();
}

void main();
