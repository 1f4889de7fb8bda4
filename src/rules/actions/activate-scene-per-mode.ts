// `activate_scene_per_mode`: which scene is activated depends on the mode of the house.
import { Type } from "@sinclair/typebox";
import { defineAction } from "../define.ts";
import { KEYS_NAME, name } from "../fields.ts";
import { firstModeOn } from "../modes.ts";

export const activateScenePerMode = defineAction({
  type: "activate_scene_per_mode",
  doc: "Activates the scene of the first mode in the list that is on; `default` when none is.",
  fields: () => ({
    scenes: Type.Record(Type.String(), name("scene", "The id of the scene"), {
      minProperties: 1,
      maxProperties: 100,
      [KEYS_NAME]: "mode",
      problem: "must be a table with a scene's id for each mode's id",
      description: "The scene's id by mode id; the first that is on counts",
    }),
    default: Type.Optional(name("scene", "The scene when none of these modes is on; nothing is done when absent")),
  }),
  async run({ scenes, default: fallback }, { host, actor }) {
    const mode = firstModeOn(Object.keys(scenes), host);
    const scene = mode === undefined ? fallback : scenes[mode];
    if (scene === undefined) return "nothing: none of its modes is on";
    await host.activateScene(scene, actor);
    return `scene ${scene}: ${mode === undefined ? "no mode is on" : `mode ${mode} is on`}`;
  },
  example: { scenes: { night: "dim" }, default: "bright" },
});
