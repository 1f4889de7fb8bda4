// The addresses of a rule's webhooks, to copy; the secret is shown when it is asked for.

import { useState } from "preact/hooks";
import type { WholeRule } from "../../../model/rules/rule.ts";
import { text } from "../../../model/rules/rule-text.ts";
import { API } from "../../../state/hub/api.ts";
import { t } from "../../../texts/index.ts";
import { toast } from "../../../ui/toast.ts";

const MASK = "••••••••";

export function RuleSecrets({ rule }: { rule: WholeRule }) {
  const webhooks = rule.triggers.filter(({ type }) => type === "webhook_received");
  if (webhooks.length === 0) return null;
  return (
    <section class="webhooks" aria-label={t("edit.webhooks")}>
      <h3>{t("edit.webhooks")}</h3>
      {webhooks.map(({ path, secret }, at) => (
        <Webhook key={at} path={text(path)} secret={text(secret)} />
      ))}
    </section>
  );
}

function Webhook({ path, secret }: { path: string; secret: string }) {
  const [isShown, setShown] = useState(false);
  const address = `${location.origin}${API}/webhooks/${path}`;
  return (
    <dl class="webhook">
      <dt>{t("edit.address")}</dt>
      <dd>
        <code>POST {address}</code>
        <Copy text={address} label={t("edit.copy_address")} />
      </dd>
      <dt>X-Webhook-Secret</dt>
      <dd>
        <code>{isShown ? secret : MASK}</code>
        <button type="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {t(isShown ? "edit.hide_secret" : "edit.show_secret")}
        </button>
        <Copy text={secret} label={t("edit.copy_secret")} />
      </dd>
    </dl>
  );
}

/** Browsers let pages copy only over a secure connection; without one the text is there to be marked. */
function Copy({ text: copied, label }: { text: string; label: string }) {
  if (!navigator.clipboard) return null;
  return (
    <button
      type="button"
      onClick={() =>
        void navigator.clipboard.writeText(copied).then(
          () => toast(t("edit.copied")),
          () => {},
        )
      }
    >
      {label}
    </button>
  );
}
