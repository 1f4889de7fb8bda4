// `activate_scene_per_mode`: which scene is activated depends on the mode of the house.
import { Type } from "@sinclair/typebox";
import { type ActionScope, defineAction } from "../model/define.ts";
import { KEYS_NAME, name } from "../model/fields.ts";

export const activateScenePerMode = defineAction({
  type: "activate_scene_per_mode",
  doc: "Activates the scene of the first mode in the list that is on; `default` if none is.",
  whenInterrupted: () => "repeat",
  fields: () => ({
    scenes: Type.Record(Type.String(), name("scene", "The id of the scene"), {
      minProperties: 1,
      maxProperties: 100,
      [KEYS_NAME]: "mode",
      problem: "must be a table of mode ids and scene ids",
      description: "Scene ids by mode id; the first mode that is on counts",
    }),
    default: Type.Optional(name("scene", "The scene if none of these modes is on; without it, nothing is done")),
  }),
  async run({ scenes, default: fallback }, { host, actor }: ActionScope<"mode" | "activateScene">) {
    const mode = Object.keys(scenes).find((id) => host.mode(id));
    const scene = mode === undefined ? fallback : scenes[mode];
    if (scene === undefined) return "nothing: none of its modes is on";
    await host.activateScene(scene, actor);
    return `scene ${scene}: ${mode === undefined ? "no mode is on" : `mode ${mode} is on`}`;
  },
  example: { scenes: { night: "dim" }, default: "bright" },
});
