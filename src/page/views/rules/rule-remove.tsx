// Removing a rule: asked once, and to be undone for ten seconds, with the text it had.

import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { RuleDetails } from "../../model/rules/rule.ts";
import { isolated } from "../../model/rules/rule-text.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { rulePath } from "../../state/house/rules.ts";
import { ask, get, post, remove } from "../../state/hub/api.ts";
import { connection } from "../../state/hub/live.ts";
import { allows } from "../../state/hub/session.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";

export function RuleRemove({ rule }: { rule: RuleDetails }) {
  const { route } = useLocation();
  const [isAsked, setAsked] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  if (!allows("admin")) return null;

  async function removeIt(): Promise<void> {
    setAsked(false);
    try {
      const text = await (await ask("GET", rulePath(rule.id, "/text"))).text();
      await remove(rulePath(rule.id));
      route("/rules");
      // What does not run cannot be made anew from its JSON: its file is in the trash.
      toast(
        t("rules.removed", { name: isolated(rule.name) }),
        rule.state === "broken" ? undefined : () => void restore(text),
      );
    } catch (error) {
      setProblem(error);
    }
  }
  async function restore(text: string): Promise<void> {
    try {
      const { rule: whole } = await get<RuleDetails>(rulePath(rule.id)).catch(() =>
        post<RuleDetails>("/rules", rule.rule),
      );
      await ask("PUT", rulePath(whole?.id ?? rule.id, "/text"), { body: text });
      route(rulePath(rule.id));
    } catch {
      toast(t("rules.not_restored", { file: rule.file }));
    }
  }
  const disabled = connection.value.state !== "live";
  return (
    <p class="rule-remove">
      {isAsked ? (
        <>
          <button type="button" class="danger" disabled={disabled} onClick={() => void removeIt()}>
            {t("rules.remove_really")}
          </button>
          <button type="button" onClick={() => setAsked(false)}>
            {t("guide.cancel")}
          </button>
        </>
      ) : (
        <button type="button" disabled={disabled} onClick={() => setAsked(true)}>
          {t("rules.remove")}
        </button>
      )}
      <Problem of={problem} />
    </p>
  );
}
