// `ping_host`: whether a machine in the network answers, and what to do in either case.
import { Type } from "@sinclair/typebox";
import { type ActionScope, defineAction } from "../model/define.ts";
import { secs, text } from "../model/fields.ts";

// Numbers and names: nothing that a command could take for an option.
const HOST = "^[A-Za-z0-9](?:[A-Za-z0-9.:_%-]{0,253})$";

export const pingHost = defineAction({
  type: "ping_host",
  doc: "Sends ICMP echo requests to a host, and runs one of two lists of actions.",
  whenInterrupted: () => "resume",
  fields: ({ action }) => ({
    host: Type.String({
      pattern: HOST,
      problem: "must be an address or a name, such as 192.168.1.1 or router.lan",
      description: "The address or name of the host",
    }),
    count: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 20,
      description: "How many requests; one answer is enough",
    }),
    timeout_secs: secs("How long an answer may take", { default: 3, minimum: 0.1, maximum: 60 }),
    then_actions: Type.Optional(Type.Array(action, { description: "Run if it answers" })),
    else_actions: Type.Optional(Type.Array(action, { description: "Run if it does not" })),
    response_event: Type.Optional(
      text("Emits the result as the event `custom_<response_event>` with `host`, `reachable` and `rtt_ms`", {
        maxLength: 200,
      }),
    ),
  }),
  async run(
    { host, count, timeout_secs, then_actions = [], else_actions = [], response_event },
    scope: ActionScope<"ping" | "emit" | "notifyPlugins">,
  ) {
    const answered = scope.resumed();
    if (typeof answered === "boolean") {
      await scope.run(answered ? then_actions : else_actions);
      return `${host} ${answered ? "answered" : "did not answer"}`;
    }
    const { reachable, rttMs } = await scope.host.ping(host, { count, timeoutMs: timeout_secs * 1000 }, scope.signal);
    if (response_event !== undefined && !scope.signal.aborted) {
      const fields = { host, reachable, ...(rttMs === undefined ? {} : { rtt_ms: rttMs }) };
      scope.host.emit({ source: "rule", rule_id: scope.ruleId, ...fields, type: `custom_${response_event}` });
      scope.host.notifyPlugins(response_event, fields);
    }
    scope.progress(reachable);
    const branch = reachable ? then_actions : else_actions;
    if (branch.length > 0) await scope.run(branch);
    return `${host} ${reachable ? `answers${rttMs === undefined ? "" : ` in ${rttMs} ms`}` : "does not answer"}`;
  },
  example: {
    host: "192.168.1.1",
    count: 3,
    timeout_secs: 2,
    then_actions: [{ type: "comment", text: "the router answers" }],
    else_actions: [{ type: "notify", channel: "log", message: "The router is gone" }],
    response_event: "router",
  },
});
