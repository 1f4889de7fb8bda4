// A dry run: what the rule would do if this set it off, now or at another moment, in a house that may be made up. Nothing is done.

import { useState } from "preact/hooks";
import type { Json } from "../../../model/device/json.ts";
import type { Part, RuleDetails, TestTrace } from "../../../model/rules/rule.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { useAct } from "../../../parts/acting/use-act.tsx";
import { rulePath } from "../../../state/house/rules.ts";
import { post } from "../../../state/hub/api.ts";
import { connection } from "../../../state/hub/live.ts";
import { allows } from "../../../state/hub/session.ts";
import { t } from "../../../texts/index.ts";
import { outcomeWords } from "../words/rule-happened.ts";
import { whenOf } from "../words/rule-triggers.ts";
import { type Assumed, RuleAssume } from "./rule-assume.tsx";
import { jsonOf, likelyContext } from "./rule-likely.ts";
import { RuleReplay } from "./rule-replay.tsx";
import { lookOf, TraceTimeline } from "./rule-trace.tsx";

// A run with many waits takes the hub a while.
const MAX_MS = 30_000;

export function RuleTry({ rule }: { rule: RuleDetails }) {
  const triggers = rule.rule?.triggers ?? [];
  const [index, setIndex] = useState(0);
  const [context, setContext] = useState(() => likelyContext(triggers[0]));
  const [moment, setMoment] = useState("");
  const [assumed, setAssumed] = useState<Assumed>({});
  const [trace, setTrace] = useState<TestTrace>();
  const { busy, problem, run } = useAct();
  const mayInvent = allows("admin");

  async function test(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const made = Object.fromEntries(context.map(([key, value]) => [key, jsonOf(value)]));
    const body = {
      trigger: { ...which(triggers, index), ...(mayInvent && context.length > 0 && { context: made }) },
      ...(moment !== "" && { at: moment }),
      ...(mayInvent && Object.keys(assumed).length > 0 && { devices: assumed }),
    };
    await run(async () => setTrace(await post<TestTrace>(rulePath(rule.id, "/test"), body, { timeoutMs: MAX_MS })));
  }

  function choose(next: number): void {
    setIndex(next);
    setContext(likelyContext(triggers[next]));
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
              <select value={index} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
                {triggers.map((trigger, one) => (
                  <option key={one} value={one}>
                    {whenOf(trigger) ?? trigger.type}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label>
            {t("try.when")}
            <input
              type="datetime-local"
              step={1}
              value={moment}
              onInput={({ currentTarget }) => setMoment(currentTarget.value)}
            />
          </label>
          {mayInvent && context.length > 0 && (
            <fieldset>
              <legend>{t("try.assume")}</legend>
              {context.map(([key, value], at) => (
                <label key={key}>
                  {t("try.field", { name: key })}
                  <input
                    value={value}
                    spellcheck={false}
                    autocapitalize="none"
                    onInput={({ currentTarget }) =>
                      setContext(context.map((row, one) => (one === at ? [key, currentTarget.value] : row)))
                    }
                  />
                </label>
              ))}
            </fieldset>
          )}
          {mayInvent && rule.rule && <RuleAssume rule={rule.rule} value={assumed} onChange={setAssumed} />}
          <button type="submit" class="main" disabled={busy || connection.value.state !== "live"}>
            {t("try.run")}
          </button>
          <Problem of={problem} />
        </form>
        {trace && <Outcome of={trace} actions={rule.rule?.actions ?? []} />}
      </section>
      <RuleReplay id={rule.id} />
    </>
  );
}

function Outcome({ of: trace, actions }: { of: TestTrace; actions: readonly Part[] }) {
  return (
    <div class="try-result" role="status">
      <p class={`trace-headline ${lookOf(trace)}`}>{outcomeWords(trace)}</p>
      <TraceTimeline trace={trace} actions={actions} />
      {trace.unknown && trace.unknown.length > 0 && (
        <>
          <p class="hint">{t("try.unknown")}</p>
          <ul class="hint">
            {trace.unknown.map((sentence) => (
              <li key={sentence} dir="auto">
                {sentence}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** By its type where that says which one. */
function which(triggers: readonly Part[], index: number): Record<string, Json> {
  const type = triggers[index]?.type;
  if (type === undefined) return {};
  return triggers.findIndex((one) => one.type === type) === index ? { type } : { index };
}
