// HUB_HOME: every path in it. Nothing else joins paths of a home.
import { isAbsolute, join, resolve } from "node:path";

export interface Home {
  readonly root: string;
  /** The service executable. */
  readonly executable: string;
  /** The one before the last upgrade. */
  readonly previousExecutable: string;
  readonly bin: string;
  readonly config: string;
  readonly hubToml: string;
  readonly modesToml: string;
  readonly profiles: string;
  readonly rules: string;
  readonly ruleExamples: string;
  readonly data: string;
  readonly stateDb: string;
  readonly historyDb: string;
  readonly lock: string;
  /** How the last starts of the hub went. */
  readonly starts: string;
  /** What of the executable's own files was laid out, by its sum. */
  readonly assetManifest: string;
  readonly logs: string;
  readonly hubLog: string;
  readonly plugins: string;
  /** The folder of one plugin: `plugins/<plugin_name>/`. */
  plugin(name: string): PluginHome;
  /** A path of the configuration: absolute, or relative to HUB_HOME. */
  resolve(path: string): string;
}

export interface PluginHome {
  readonly root: string;
  readonly bin: string;
  readonly config: string;
  readonly configToml: string;
  readonly logs: string;
  readonly log: string;
}

export function homeAt(path: string): Home {
  const root = resolve(path);
  const at = (...parts: string[]): string => join(root, ...parts);
  return {
    root,
    bin: at("bin"),
    executable: at("bin", "hub"),
    previousExecutable: at("bin", "hub.previous"),
    config: at("config"),
    hubToml: at("config", "hub.toml"),
    modesToml: at("config", "modes.toml"),
    profiles: at("config", "profiles"),
    rules: at("rules"),
    ruleExamples: at("rules", "examples"),
    data: at("data"),
    stateDb: at("data", "state.redb"),
    historyDb: at("data", "history.db"),
    lock: at("data", "hub.lock"),
    starts: at("data", "starts.json"),
    assetManifest: at("data", "assets.json"),
    logs: at("logs"),
    hubLog: at("logs", "hub.log"),
    plugins: at("plugins"),
    plugin(name) {
      const folder = (...parts: string[]): string => at("plugins", name, ...parts);
      return {
        root: folder(),
        bin: folder("bin"),
        config: folder("config"),
        configToml: folder("config", "config.toml"),
        logs: folder("logs"),
        log: folder("logs", `${name}.log`),
      };
    },
    resolve: (path) => (isAbsolute(path) ? path : resolve(root, path)),
  };
}
