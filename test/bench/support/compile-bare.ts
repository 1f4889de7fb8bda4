// The bare twin as one file, compiled as the hub is.
import { join } from "node:path";

export async function compileBare(folder: string): Promise<string> {
  const outfile = join(folder, "bare-serve");
  const built = await Bun.build({
    entrypoints: [new URL("../twins/bare-serve.ts", import.meta.url).pathname],
    target: "bun",
    minify: { whitespace: true, syntax: true },
    bytecode: true,
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  if (!built.success) throw new AggregateError(built.logs, "compiling the twin failed");
  return outfile;
}
