// `manual_trigger`: only a person or another rule sets it off.
import { defineTrigger } from "../define.ts";

export const manualTrigger = defineTrigger({
  type: "manual_trigger",
  doc: "Nothing sets it off by itself: a person runs it through the API, or a rule by `run_rule`.",
  fields: {},
  label: () => "by hand",
  example: {},
});
