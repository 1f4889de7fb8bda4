// Makes a Debian package of any executable: bun test/interop/make-deb.ts EXECUTABLE VERSION OUT [amd64|arm64].
import { join } from "node:path";
import { makeDeb } from "../../src/app/release/deb.ts";

const [executable = "", version = "", outfile = "", architecture = "amd64"] = process.argv.slice(2);
const root = join(import.meta.dir, "..", "..");
await Bun.write(
  outfile,
  await makeDeb({ root, executable, version, architecture: architecture === "arm64" ? "arm64" : "amd64" }),
);
