// Deciding about many at once: of one account, or with a name or id that matches. Says beforehand about which.
import { useState } from "preact/hooks";
import { useAddress } from "../../browser/address.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { announcements, type Decision, decideSeveral, matching } from "../../state/house/discovery.ts";
import { t } from "../../texts/index.ts";
import { toast } from "../../ui/toast.ts";

const MAX_NAMED = 5;

export function DecideSeveral({ isLocked }: { isLocked: boolean }) {
  const { query, change } = useAddress();
  const [problem, setProblem] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const account = query.get("account") ?? "";
  const pattern = query.get("pattern") ?? "";
  const accounts = [...new Set(announcements.value.map((one) => one.account))].sort();
  const several = { ...(account !== "" && { account }), ...(pattern !== "" && { pattern }) };
  const isChosen = account !== "" || pattern !== "";
  const found = isChosen ? matching(announcements.value, several) : [];
  const names = found.slice(0, MAX_NAMED).map(({ name, id }) => name ?? id);

  async function take(decision: Decision): Promise<void> {
    setBusy(true);
    try {
      const count = await decideSeveral(several, decision);
      toast(t(`inbox.did_${decision}_several`, { count }));
      change({ pattern: undefined });
      setProblem(undefined);
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  }

  return (
    <details class="card several" open={isChosen || undefined}>
      <summary>
        <h2>{t("inbox.several")}</h2>
      </summary>
      <div class="row">
        <label>
          {t("inbox.account")}
          <select value={account} onChange={({ currentTarget }) => change({ account: currentTarget.value })}>
            <option value="">{t("inbox.any_account")}</option>
            {accounts.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("inbox.pattern")}
          <input
            value={pattern}
            maxLength={300}
            dir="auto"
            placeholder="Shelly*"
            onInput={({ currentTarget }) => change({ pattern: currentTarget.value })}
          />
        </label>
      </div>
      <p class="hint" role="status" dir="auto">
        {isChosen
          ? `${t("inbox.matches", { count: found.length })} ${names.join(", ")}${found.length > MAX_NAMED ? ", …" : ""}`
          : t("inbox.several_hint")}
      </p>
      {found.length > 0 && (
        <div class="row">
          {(["accept", "ignore"] as const).map((decision) => (
            <button key={decision} type="button" disabled={isLocked || busy} onClick={() => void take(decision)}>
              {t(`inbox.${decision}_several`, { count: found.length })}
            </button>
          ))}
        </div>
      )}
      <Problem of={problem} />
    </details>
  );
}
