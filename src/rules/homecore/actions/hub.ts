// homeCore's other actions as ours: variables, messages, calls and what rules do to rules.
import { isObject } from "../../../kit/schema/json.ts";
import { objectAt, othersOf, type PlacedObject } from "../place.ts";
import { renamed, required, secsOfMs, type Translating, warningAt } from "../translating.ts";
import type { TranslateAction } from "./action.ts";

const WITHOUT_BODY = ["GET", "DELETE", "HEAD"];
const OPERATORS: Readonly<Record<string, string>> = { Add: "+", Subtract: "-", Multiply: "*", Divide: "/" };

export const hubActions: Readonly<Record<string, TranslateAction>> = {
  set_hub_variable: (part) =>
    objectAt(part, { ...othersOf(part, ["op"]), value: part.get("value"), op: part.some("op") }),
  set_variable: setVariable,
  fire_event: (part) => {
    const payload = part.get("payload") ?? part.get("fields");
    const isTable = payload === undefined || payload.value === null || isObject(payload.value);
    return objectAt(part, {
      ...othersOf(part, ["payload", "fields"]),
      // Events here have fields, and a value alone has no name.
      fields: payload?.value === null ? undefined : isTable ? payload : objectAt(payload, { value: payload }),
    });
  },
  call_service: callService,
  log_message: (part) =>
    objectAt(part, { ...othersOf(part, ["level"]), ...textOf(part, "message"), level: levelOf(part) }),
  comment: (part) => objectAt(part, { ...othersOf(part, []), ...textOf(part, "text") }),
  notify: (part) =>
    objectAt(part, { ...othersOf(part, ["title"]), ...textOf(part, "message"), title: part.some("title") }),
  cancel_delays: (part) => objectAt(part, { ...othersOf(part, ["key"]), key: part.some("key") }),
  cancel_rule_timers: (part) => objectAt(part, { ...othersOf(part, ["rule_id"]), rule_id: part.some("rule_id") }),
  stop_rule_chain: (part) => renamed(part, "stop_rule_chain"),
};

/** A text here has at least one character. */
function textOf(part: PlacedObject, key: string) {
  const text = part.get(key);
  return { [key]: text?.value === "" ? text.with(" ") : text };
}

function levelOf(part: PlacedObject) {
  return part.some("level");
}

/** A variable that was not set counts as 0, or as false. */
function setVariable(part: PlacedObject, { to }: { to: Translating }): PlacedObject {
  const name = part.get("name");
  const op = part.some("op");
  const value = part.get("value");
  warningAt(to, part, "here the variables of a rule begin anew with each run; there they last until the hub restarts");
  const plain = { ...othersOf(part, ["op", "value"]) };
  if (!op || op.value === "Set") return objectAt(part, { ...plain, value: value ?? required(to, part, "value") });
  const now = `rule_var(${JSON.stringify(name?.value ?? "")})`;
  if (op.value === "Toggle") return objectAt(part, { ...plain, expression: op.with(`${now} != true`) });
  const sign = typeof op.value === "string" ? OPERATORS[op.value] : undefined;
  const operand = typeof value?.value === "number" ? value.value : sign === "+" || sign === "-" ? 0 : 1;
  if (sign === undefined) return objectAt(part, { ...plain, value, op });
  if (sign === "/" && operand === 0) return objectAt(part, { ...plain, value: null });
  const number = Number.isInteger(operand) ? `${operand}.0` : String(operand);
  return objectAt(part, { ...plain, expression: op.with(`(is_number(${now}) ? ${now} : 0.0) ${sign} ${number}`) });
}

function callService(part: PlacedObject): PlacedObject {
  const method = part.get("method");
  const word = typeof method?.value === "string" ? method.value.toUpperCase() : "";
  const body = WITHOUT_BODY.includes(word) ? undefined : part.some("body");
  // There, a text is sent as JSON as well.
  const asJson = typeof body?.value === "string";
  return objectAt(part, {
    ...othersOf(part, ["body", "timeout_ms", "retries", "response_event"]),
    body: asJson ? body.with(JSON.stringify(body.value)) : body,
    ...(asJson && { headers: { "content-type": "application/json" } }),
    timeout_secs: secsOfMs(part.some("timeout_ms")),
    retries: part.some("retries"),
    response_event: part.some("response_event"),
  });
}
