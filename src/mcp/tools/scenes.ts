// Tools for scenes.
import { Type } from "@sinclair/typebox";
import { HubError } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { CommandOutcome } from "../../state/command-answers.ts";
import { defineTool } from "../tool.ts";
import { harmless, someOf } from "../untrusted.ts";

const closed = { additionalProperties: false } as const;
const text = Type.String();

export const listScenes = defineTool({
  name: "list_scenes",
  title: "List scenes",
  description: "Scenes: wanted states of several devices under one name.",
  input: Type.Object({}, closed),
  output: Type.Object({
    scenes: Type.Array(
      Type.Object({
        id: text,
        name: text,
        devices: Type.Array(text, { description: "Ids" }),
        may_activate: Type.Boolean({ description: "Whether activate_scene works for it" }),
      }),
    ),
    more: Type.Boolean({ description: "There are more than these" }),
  }),
  run(_, { house }) {
    const { items, more } = someOf(
      house.scenes().map((scene) => ({
        id: scene.id,
        name: scene.name,
        devices: Object.keys(scene.states),
        may_activate: house.activates(scene),
      })),
    );
    return { scenes: items, more };
  },
});

export const activateScene = defineTool({
  name: "activate_scene",
  title: "Activate a scene",
  description:
    "Commands all devices of a scene. Answers what became of each command within a second, and what failed and why.",
  acts: true,
  input: Type.Object({ id: Type.String({ minLength: 1, maxLength: 255, description: "From list_scenes" }) }, closed),
  output: Type.Object({
    scene_id: text,
    sent: Type.Array(Type.Object({ device_id: text, correlation_id: text, ...CommandOutcome })),
    failed: Type.Array(Type.Object({ device_id: text, code: text, error: text })),
  }),
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
