// Switching a rule on and off, running and pausing it. What the hub refuses stands beside it.

import { useState } from "preact/hooks";
import type { ListedRule, Trace } from "../../model/rules/rule.ts";
import { isolated } from "../../model/rules/rule-text.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { rulePath } from "../../state/house/rules.ts";
import { patch, post } from "../../state/hub/api.ts";
import { connection } from "../../state/hub/live.ts";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";

interface ControlProps {
  rule: ListedRule;
  onChanged: () => Promise<void>;
}

const HOUR_SECS = 3600;

/** Runs one act at a time; `wanted` is what was asked for and is not confirmed yet. */
function useAct(onChanged: () => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();

  async function act(how: () => Promise<unknown>): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      await how();
    } catch (error) {
      setProblem(error);
    }
    await onChanged();
    setBusy(false);
  }
  return { act, busy, problem };
}

const mayNot = (): boolean => connection.value.state !== "live" || !allows("admin");

export function RuleSwitch({ rule, onChanged }: ControlProps) {
  const { act, busy, problem } = useAct(onChanged);
  const [wanted, setWanted] = useState<boolean>();
  const isOn = (busy ? wanted : undefined) ?? rule.enabled;
  if (rule.state === "broken" && rule.running_version === "none") return null;
  return (
    <>
      <button
        type="button"
        role="switch"
        class="rule-switch"
        aria-checked={isOn}
        aria-label={t("rules.switch", { name: rule.name })}
        disabled={mayNot() || busy || rule.state === "loading" || rule.state === "broken"}
        onClick={() => {
          setWanted(!isOn);
          void act(() => patch(rulePath(rule.id), { enabled: !isOn }));
        }}
      />
      <Problem of={problem} />
    </>
  );
}

export function RuleControls({ rule, onChanged }: ControlProps) {
  const { act, busy, problem } = useAct(onChanged);
  if (!allows("admin") || rule.running_version === "none") return null;
  const disabled = mayNot() || busy;
  const named = isolated(rule.name);

  async function run(): Promise<void> {
    const trace = await post<Trace>(rulePath(rule.id, "/run"), {});
    toast(t(trace.outcome === "fired" ? "rules.ran" : "rules.did_not_run", { name: named }));
  }
  async function pause(): Promise<void> {
    await post(rulePath(rule.id, "/pause"), { duration_secs: HOUR_SECS });
    toast(t("rules.paused", { name: named }), () => void act(resume));
  }
  const resume = (): Promise<unknown> => post(rulePath(rule.id, "/resume"));

  return (
    <div class="rule-controls">
      <button
        type="button"
        disabled={disabled}
        aria-label={`${t("rules.run")}: ${rule.name}`}
        onClick={() => void act(run)}
      >
        {t("rules.run")}
      </button>
      {rule.state === "paused" ? (
        <button
          type="button"
          disabled={disabled}
          aria-label={`${t("rules.resume")}: ${rule.name}`}
          onClick={() => void act(resume)}
        >
          {t("rules.resume")}
        </button>
      ) : (
        <button
          type="button"
          disabled={disabled || !rule.enabled}
          aria-label={`${t("rules.pause")}: ${rule.name}`}
          onClick={() => void act(pause)}
        >
          {t("rules.pause")}
        </button>
      )}
      <Problem of={problem} />
    </div>
  );
}
