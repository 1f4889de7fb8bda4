// Rules with every kind of wait, short ones, for the process that is killed: each message is sent once by each run.
import type { JsonObject } from "../../../src/kit/schema/json.ts";

const delay = (secs = 0.1): JsonObject => ({ type: "delay", duration_secs: secs });
const say = (message: string): JsonObject => ({ type: "notify", channel: "log", message });
const set = (device_id: string): JsonObject => ({ type: "set_device_state", device_id, state: { on: true } });
const loop = [delay(0.06), set("lamp")];

const ACTIONS: Record<string, JsonObject[]> = {
  delay: [set("lamp"), delay(), say("delay: first"), set("lamp"), delay(), say("delay: last")],
  computed: [{ type: "delay", expression: "0.1 + 0.1" }, say("computed: last")],
  event: [{ type: "wait_for_event", event_type: "custom_never", timeout_secs: 0.2 }, say("event: last")],
  expression: [
    { type: "wait_for_expression", expression: "hub_var('never')", timeout_secs: 0.2 },
    say("expression: last"),
  ],
  count: [{ type: "repeat_count", count: 3, actions: loop }, say("count: last")],
  while: [{ type: "repeat_while", expression: "true", max_turns: 3, actions: loop }, say("while: last")],
  until: [{ type: "repeat_until", expression: "false", max_turns: 3, actions: loop }, say("until: last")],
  fade: [
    { type: "fade_device", device_id: "fade", attribute: "brightness", from: 0, to: 3, duration_secs: 0.6 },
    say("fade: last"),
  ],
  parallel: [
    {
      type: "parallel",
      actions: [say("parallel: branch"), delay(), { type: "parallel", actions: [delay(0.2), delay(0.05)] }],
    },
    say("parallel: last"),
  ],
  conditional: [
    {
      type: "conditional",
      condition: "false",
      then_actions: [],
      else_actions: [delay(), say("conditional: branch"), delay()],
    },
    say("conditional: last"),
  ],
  parent: [delay(0.02), { type: "run_rule", rule_id: "child" }, say("parent: last")],
  child: [delay(0.15), say("child: last")],
  captured: [
    { type: "capture_device_state", device_ids: ["lamp"] },
    delay(),
    { type: "restore_device_state" },
    say("captured: last"),
  ],
  counted: [delay(0.05), { type: "set_hub_variable", name: "n", expression: "1 + 1" }, delay(), say("counted: last")],
  queued: [delay(0.05), say("queued: last")],
  turns: [
    {
      type: "parallel",
      actions: [
        { type: "repeat_count", count: 3, actions: [say("turns: first"), delay(0.05), say("turns: last")] },
        {
          type: "repeat_while",
          expression: "true",
          max_turns: 3,
          actions: [{ type: "conditional", condition: "true", then_actions: [delay(0.03), say("turns: branch")] }],
        },
      ],
    },
  ],
};

export const RULES: (JsonObject & { id: string })[] = Object.entries(ACTIONS).map(([id, actions]) => ({
  id,
  name: id,
  run_mode: id === "queued" ? "queued" : "parallel",
  actions,
}));

/** How often each rule is run. */
export const TIMES = (id: string): number => (id === "queued" ? 3 : id === "child" ? 0 : 1);

/** What is sent, and how often. */
export const MESSAGES = new Map<string, number>(
  JSON.stringify(ACTIONS)
    .match(/\w+: (first|last|branch)/g)
    ?.map((message) => [message, /^(queued|turns)/.test(message) ? 3 : 1]),
);
