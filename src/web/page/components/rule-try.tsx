// A dry run: what the rule would do now if this set it off. Nothing is done.

import { useState } from "preact/hooks";
import { post } from "../state/api.ts";
import { type Attributes, type Device, deviceList, devices, type Json } from "../state/house.ts";
import { connection } from "../state/live.ts";
import { type Part, type RuleDetails, rulePath, type Trace } from "../state/rules.ts";
import { allows } from "../state/session.ts";
import { t } from "../texts/index.ts";
import { Problem } from "./problem.tsx";
import { outcomeWords } from "./rule-happened.ts";
import { RuleReplay } from "./rule-replay.tsx";
import { lookOf, TraceTimeline } from "./rule-trace.tsx";
import { whenOf } from "./rule-triggers.ts";
import { devicesOf, text } from "./rule-words.ts";

export function RuleTry({ rule }: { rule: RuleDetails }) {
  const triggers = rule.rule?.triggers ?? [];
  const [at, setAt] = useState(0);
  const [context, setContext] = useState(() => likely(triggers[0]));
  const [trace, setTrace] = useState<Trace>();
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const mayInvent = allows("admin");

  async function test(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      const type = triggers[at]?.type;
      const made = Object.fromEntries(context.map(([key, value]) => [key, jsonOf(value)]));
      const trigger = {
        ...(type !== undefined && { type }),
        ...(mayInvent && context.length > 0 && { context: made }),
      };
      setTrace(await post<Trace>(rulePath(rule.id, "/test"), { trigger }));
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  }

  function choose(next: number): void {
    setAt(next);
    setContext(likely(triggers[next]));
  }

  if (rule.running_version === "none") return <p>{t("try.broken")}</p>;
  return (
    <>
      <section class="try" aria-label={t("rules.tab.try")}>
        <p>{t("try.what")}</p>
        <form onSubmit={test} class="try-form">
          {triggers.length > 1 && (
            <label>
              {t("try.trigger")}
              <select value={at} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
                {triggers.map((trigger, index) => (
                  <option key={index} value={index}>
                    {whenOf(trigger) ?? trigger.type}
                  </option>
                ))}
              </select>
            </label>
          )}
          {mayInvent && context.length > 0 && (
            <fieldset>
              <legend>{t("try.assume")}</legend>
              {context.map(([key, value], index) => (
                <label key={key}>
                  {t("try.field", { name: key })}
                  <input
                    value={value}
                    spellcheck={false}
                    autocapitalize="none"
                    onInput={({ currentTarget }) =>
                      setContext(context.map((row, one) => (one === index ? [key, currentTarget.value] : row)))
                    }
                  />
                </label>
              ))}
            </fieldset>
          )}
          <button type="submit" class="main" disabled={busy || connection.value.state !== "live"}>
            {t("try.run")}
          </button>
          <Problem of={problem} />
        </form>
        {trace && (
          <div class="try-result" role="status">
            <p class={`trace-headline ${lookOf(trace)}`}>{outcomeWords(trace)}</p>
            <TraceTimeline trace={trace} actions={rule.rule?.actions ?? []} />
          </div>
        )}
      </section>
      <RuleReplay id={rule.id} />
    </>
  );
}

type Row = [key: string, value: string];

/** What a trigger passes on, with what its own words already say. */
function likely(trigger: Part | undefined): Row[] {
  if (trigger === undefined) return [];
  // Of any device, the first that has what it is about.
  const fits = ({ attributes }: Device): boolean => Object.hasOwn(attributes, text(trigger.attribute ?? "battery_pct"));
  const found = /^(device_|button_|numeric_)/.test(trigger.type) ? deviceList.peek().find(fits)?.id : undefined;
  const [device = found] = devicesOf(trigger) ?? [];
  const first = (value: Json | undefined): Json | undefined => (Array.isArray(value) ? value[0] : value);
  const about: Attributes = device === undefined ? {} : { device_id: device, device_name: nameIn(device) };
  return Object.entries(contextOf(trigger, about, first)).flatMap(([key, value]): Row[] =>
    value === undefined ? [] : [[key, text(value)]],
  );
}

function contextOf(
  trigger: Part,
  about: Attributes,
  first: (value: Json | undefined) => Json | undefined,
): Record<string, Json | undefined> {
  const { type, attribute } = trigger;
  switch (type) {
    case "device_state_changed":
      return { ...about, attribute: attribute ?? "", value: first(trigger.to) ?? true, previous: first(trigger.from) };
    case "numeric_threshold": {
      const high = trigger.above ?? trigger.crosses_above;
      const low = trigger.below ?? trigger.crosses_below;
      return { ...about, attribute, value: typeof high === "number" ? high + 1 : Number(low) - 1 };
    }
    case "device_availability_changed":
      return { ...about, available: trigger.available ?? false };
    case "button_event":
      return { ...about, event: trigger.event ?? "pressed", button: trigger.button };
    case "device_action":
      return { ...about, action: trigger.action ?? "single" };
    case "mode_changed":
      return { mode_id: trigger.mode_id ?? "", on: trigger.on ?? true };
    case "hub_variable_changed":
      return { name: trigger.name ?? "", value: first(trigger.to) ?? 1 };
    case "timer_state_changed":
      return { ...about, value: first(trigger.state) ?? "expired" };
    case "device_battery_low":
    case "device_battery_recovered":
      return { ...about, battery_pct: type === "device_battery_low" ? 10 : 80 };
    case "mqtt_message":
      return { topic: trigger.topic, payload: "", value: trigger.value };
    case "webhook_received":
      return { path: trigger.path, method: "POST", body: {} };
    case "custom_event":
      return { event_type: trigger.event_type, data: trigger.fields ?? {} };
    default:
      return {};
  }
}

const nameIn = (id: string): string => devices.value.get(id)?.peek().name ?? id;

/** What is no JSON is a text. */
function jsonOf(value: string): Json {
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
