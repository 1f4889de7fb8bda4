// `comment`: a note between actions, also shown in the trace.
import { defineAction } from "../model/define.ts";
import { text } from "../model/fields.ts";

export const comment = defineAction({
  type: "comment",
  doc: "Does nothing: a note for people.",
  whenInterrupted: () => "repeat",
  fields: () => ({ text: text("The note") }),
  run: ({ text }) => text,
  example: { text: "the lamp needs a moment" },
});
