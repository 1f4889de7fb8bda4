// `comment`: a note between actions, which also stands in the trace.
import { defineAction } from "../define.ts";
import { text } from "../fields.ts";

export const comment = defineAction({
  type: "comment",
  doc: "Does nothing: a note for people.",
  fields: () => ({ text: text("The note") }),
  run: ({ text }) => text,
  example: { text: "the lamp needs a moment" },
});
