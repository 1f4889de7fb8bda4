// A plugin that runs a script until it is done, with files of the hub around it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createRig, type RigOptions, textOf, until } from "../rig.ts";

export const SECRET = "jwt_secret_of_the_hub";
export const HUBS = {
  "config/hub.toml": SECRET,
  "data/state.redb": SECRET,
  "rules/one.toml": SECRET,
  "logs/hub.log": SECRET,
  "plugins/other/secret": SECRET,
};

/** Runs the script as a plugin until it has written `done` into its folder; returns what its folder then holds. */
export async function ranOn(
  script: string,
  entry: object = {},
  options: RigOptions = {},
  files: Record<string, string> = {},
) {
  const path = "plugins/p/bin/run";
  const rig = createRig([{ id: "p", binary: path, ...entry }], { ...HUBS, ...files, [path]: script }, options);
  await rig.plugins.start("p");
  const folder = rig.home.plugin("p").root;
  await until("it is done", () => existsSync(join(folder, "done")) || rig.plugins.get("p").last_exit);
  return {
    rig,
    folder,
    text: (name: string) => textOf(join(folder, name)),
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
}

export const attempt = (command: string) => `(${command}) >out 2>err; echo $? >code; touch done; exec sleep 60\n`;

/** A kernel that has none. */
export const landlock = () => ({ abi: 0, reason: "this kernel was built without Landlock" });
