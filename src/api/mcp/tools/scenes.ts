// Tools for scenes.
import { Type } from "@sinclair/typebox";
import { HubError } from "../../../kit/schema/errors.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { PageInput, pageOf } from "../page.ts";
import { defineTool } from "../tool.ts";
import { harmless } from "../untrusted.ts";

const closed = { additionalProperties: false } as const;

export const listScenes = defineTool({
  name: "list_scenes",
  title: "List scenes",
  description: "Scenes: wanted states of several devices under one name. `devices` are ids.",
  input: Type.Object(PageInput, closed),
  run(page, { house }) {
    const { items, next } = pageOf(house.scenes(), page, (scene) => ({
      id: scene.id,
      name: scene.name,
      devices: Object.keys(scene.states),
      may_activate: house.activates(scene),
    }));
    return { scenes: items, ...(next !== undefined && { next }) };
  },
});

export const activateScene = defineTool({
  name: "activate_scene",
  title: "Activate a scene",
  description:
    "Commands all devices of a scene. Answers what became of each command within a second, and what failed and why.",
  acts: true,
  input: Type.Object(
    { id: Type.String({ minLength: 1, maxLength: 255, description: "The id, from list_scenes, or the name" }) },
    closed,
  ),
  target: ({ id }) => id,
  async run({ id }, { house, caller, deps }) {
    const scene = house.scene(id);
    if (!house.activates(scene))
      throw new HubError("forbidden", "this scene sets a mode that was not named when this key was made");
    return harmless(
      await deps.scenes.activateAndWait(scene.id, { kind: "mcp", id: caller.id, name: caller.name }),
    ) as JsonObject;
  },
});
