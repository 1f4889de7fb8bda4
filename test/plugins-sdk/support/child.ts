// A plugin bundled to one file and run as a real child process from an empty folder.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PASSWORD } from "./broker.ts";

export interface Bundle extends AsyncDisposable {
  /** An empty folder but for the bundle. */
  folder: string;
  file: string;
}

export interface Child extends AsyncDisposable {
  /** Resolves with the exit code. */
  exited: Promise<number>;
  stderr: Promise<string>;
  terminate(): void;
}

export interface ChildOptions {
  bundle: Bundle;
  port: number;
  id: string;
  password?: string;
  config?: string;
}

export async function bundlePlugin(main: string): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "plugin-test-"));
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "../../..", main)],
    target: "bun",
    minify: { whitespace: true, syntax: true },
    outdir: folder,
    naming: "plugin.js",
  });
  if (!built.success) throw new Error(built.logs.join("\n"));
  return {
    folder,
    file: join(folder, "plugin.js"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export function startChild({ bundle, port, id, password = PASSWORD, config }: ChildOptions): Child {
  const child = Bun.spawn([process.execPath, bundle.file, ...(config ? [config] : [])], {
    cwd: bundle.folder,
    env: {
      HUB_PLUGIN_ID: id,
      HUB_MQTT_HOST: "127.0.0.1",
      HUB_MQTT_PORT: String(port),
      HUB_MQTT_USERNAME: id,
      HUB_MQTT_PASSWORD: password,
      HUB_TOPIC_PREFIX: "house",
    },
    stdout: "ignore",
    stderr: "pipe",
  });
  return {
    exited: child.exited,
    stderr: new Response(child.stderr).text(),
    terminate: () => child.kill("SIGTERM"),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}
