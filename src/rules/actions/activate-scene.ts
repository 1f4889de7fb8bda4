// `activate_scene`: sends the commands of a scene.
import { type ActionScope, defineAction } from "../model/define.ts";
import { name } from "../model/fields.ts";

export const activateScene = defineAction({
  type: "activate_scene",
  doc: "Activates a scene.",
  whenInterrupted: () => "repeat",
  fields: () => ({ scene_id: name("scene", "The id of the scene") }),
  async run({ scene_id }, { host, actor }: ActionScope<"activateScene">) {
    await host.activateScene(scene_id, actor);
    return `scene ${scene_id}`;
  },
  example: { scene_id: "evening" },
});
