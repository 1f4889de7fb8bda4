// `plugin_offline`: the heartbeats of a plugin have stopped, or its process ended without being asked to.
import { Type } from "@sinclair/typebox";
import { defineTrigger } from "../model/define.ts";
import { eventOf, interestIn } from "../model/devices.ts";
import { text } from "../model/fields.ts";

export const pluginOffline = defineTrigger({
  type: "plugin_offline",
  doc: "The heartbeats of a plugin have stopped, or its process ended without being asked to; without `plugin_id`, any.",
  fields: { plugin_id: Type.Optional(text("The id of the plugin")) },
  label: ({ plugin_id }) => `${plugin_id === undefined ? "any plugin" : `plugin ${plugin_id}`} goes offline`,
  contextKeys: ["plugin_id", "reason"],
  interests: ({ plugin_id }) => [interestIn("plugin_offline", "plugin_id", plugin_id)],
  match(spec, envelope) {
    const event = eventOf("plugin_offline", envelope);
    if (!event || (spec.plugin_id !== undefined && spec.plugin_id !== event.plugin_id)) return undefined;
    return { plugin_id: event.plugin_id, reason: event.reason };
  },
  example: { plugin_id: "zigbee" },
});
