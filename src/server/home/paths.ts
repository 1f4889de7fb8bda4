// HUB_HOME: where it is, and every path in it. Only this file joins paths of a home.
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Platform } from "../../kit/lifecycle/platform.ts";

export interface Home {
  readonly root: string;
  /** The service executable. */
  readonly executable: string;
  /** The one before the last upgrade. */
  readonly previousExecutable: string;
  readonly bin: string;
  readonly config: string;
  readonly hubToml: string;
  /** A hub.toml that the hub did not start with, after somebody changed it over the API. */
  readonly refusedHubToml: string;
  readonly modesToml: string;
  readonly profiles: string;
  readonly rules: string;
  readonly ruleExamples: string;
  readonly data: string;
  readonly stateDb: string;
  readonly historyDb: string;
  /** Downloaded calendars. */
  readonly calendars: string;
  /** Of messages that wait to be sent. */
  readonly waitingPictures: string;
  /** What cameras showed last: see house/pictures/ring.ts. */
  readonly devicePictures: string;
  readonly lock: string;
  /** What the rules were read into: see rules/store/read-cache.ts. */
  readonly readRules: string;
  /** How the last starts of the hub went. */
  readonly starts: string;
  /** How the last upgrade over the API went. */
  readonly lastUpgrade: string;
  /** The databases as they were before the last upgrade, until the new version has been well for a day. */
  readonly beforeUpgrade: string;
  /** The same of a version that is being tried out. */
  readonly beforeTrial: string;
  /** The checksums of the executable's own files that were laid out. */
  readonly assetManifest: string;
  readonly logs: string;
  readonly hubLog: string;
  readonly plugins: string;
  /** `plugins/<name>/` */
  plugin(name: string): PluginHome;
  /** A path from the configuration: absolute, or relative to HUB_HOME. */
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
    refusedHubToml: at("config", "hub.toml.refused"),
    modesToml: at("config", "modes.toml"),
    profiles: at("config", "profiles"),
    rules: at("rules"),
    ruleExamples: at("rules", "examples"),
    data: at("data"),
    stateDb: at("data", "state.redb"),
    historyDb: at("data", "history.db"),
    calendars: at("data", "calendars"),
    waitingPictures: at("data", "pictures"),
    devicePictures: at("data", "device-pictures"),
    lock: at("data", "hub.lock"),
    readRules: at("data", "rules.cache"),
    starts: at("data", "starts.json"),
    lastUpgrade: at("data", "last-upgrade.json"),
    beforeUpgrade: at("data", "before-upgrade"),
    beforeTrial: at("data", "before-trial"),
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

export interface FindOptions {
  /** `--home`. */
  flag: string | undefined;
  env: Platform["env"];
  /** The executable, or `src/main.ts` where Bun runs the sources. */
  program: string;
  isRoot: boolean;
}

/**
 * The home to use: `--home`, else HUB_HOME, else the folder above the program's own if that is a home, else `home/` there if that
 * is a checkout of the sources, else /opt/hub for root and ~/hub for others. Where ~/hub or /opt/hub is a file, most likely the
 * executable itself, the home is `…/hub-home`.
 */
export function findHome({ flag, env, program, isRoot }: FindOptions): Home {
  const named = flag ?? env.HUB_HOME;
  if (named) return homeAt(named);
  const above = dirname(dirname(realpathSync(program)));
  const candidates = existsSync(join(above, "src", "main.ts")) ? [above, join(above, "home")] : [above];
  const found = candidates.map(homeAt).find(({ hubToml }) => existsSync(hubToml));
  if (found) return found;
  const usual = isRoot || !env.HOME ? "/opt/hub" : join(env.HOME, "hub");
  return homeAt(statSync(usual, { throwIfNoEntry: false })?.isFile() ? `${usual}-home` : usual);
}
