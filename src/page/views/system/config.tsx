// hub.toml: in forms by section or as text, checked while it is changed, and shown as a difference before it is saved.

import { type Address, useAddress } from "../../browser/address.ts";
import { helpOf, sectionWords } from "../../model/config/config-words.ts";
import { AdminPage, toSystem } from "../../parts/acting/entries.tsx";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct } from "../../parts/acting/use-act.tsx";
import { ConfigReview } from "../../parts/config/config-review.tsx";
import { ConfigWaiting } from "../../parts/config/config-waiting.tsx";
import { type ConfigDraft, useConfigDraft } from "../../parts/config/use-config-draft.ts";
import { t } from "../../texts/index.ts";
import { HelpLink } from "../../ui/help-link.tsx";
import { toast } from "../../ui/toast.ts";
import { ConfigSection } from "./config-section.tsx";
import { ConfigText } from "./config-text.tsx";

const WAYS = ["form", "text"] as const;

export function Config() {
  return (
    <AdminPage title={t("config.title")} back={toSystem()}>
      <Editor />
    </AdminPage>
  );
}

function Editor() {
  const { draft, problem } = useConfigDraft();
  const address = useAddress();
  if (!draft) return <Problem of={problem} />;
  const isReview = address.query.get("step") === "review" && draft.isChanged;
  return (
    <>
      <p>{t("config.about")}</p>
      <Problem of={problem} />
      <ConfigWaiting of={draft} />
      {isReview ? (
        <ConfigReview
          of={draft}
          onBack={() => address.change({ step: undefined })}
          onSaved={() => {
            address.change({ step: undefined });
            toast(t("config.saved"));
          }}
        />
      ) : (
        <Editing of={draft} address={address} />
      )}
    </>
  );
}

function Editing({ of: draft, address }: { of: ConfigDraft; address: Address }) {
  const way = address.query.get("as") === "text" ? "text" : "form";
  const names = Object.keys(draft.schema.properties ?? {});
  const part = names.find((name) => name === address.query.get("part")) ?? names[0] ?? "";
  return (
    <>
      <nav class="tabs" aria-label={t("config.ways")}>
        {WAYS.map((one) => (
          <a
            key={one}
            href={one === "form" ? `/system/config?part=${part}` : "/system/config?as=text"}
            aria-current={one === way ? "page" : undefined}
          >
            {t(`config.as_${one}`)}
          </a>
        ))}
      </nav>
      {way === "form" ? (
        <Forms of={draft} names={names} part={part} />
      ) : (
        <ConfigText
          label={t("config.title")}
          value={draft.text}
          problems={draft.checked?.problems ?? []}
          onChange={draft.setText}
        />
      )}
      <div class="buttons config-end">
        <button
          type="button"
          class="main"
          disabled={!draft.isChanged || !mayAct("admin")}
          onClick={() => address.change({ step: "review" }, true)}
        >
          {t("config.review")}
        </button>
        {draft.isChanged && (
          <button type="button" onClick={() => draft.setText(draft.file.text)}>
            {t("config.discard")}
          </button>
        )}
      </div>
    </>
  );
}

function Forms({ of: draft, names, part }: { of: ConfigDraft; names: readonly string[]; part: string }) {
  if (draft.checked && !draft.values) return <p class="problem">{t("config.no_toml")}</p>;
  const wrong = new Set((draft.checked?.problems ?? []).map(({ path }) => path.split(/[.[]/, 1).join()));
  return (
    <div class="config-forms">
      <nav class="config-parts" aria-label={t("config.parts")}>
        {names.map((name) => (
          <a key={name} href={`/system/config?part=${name}`} aria-current={name === part ? "page" : undefined}>
            {sectionWords(name)}
            {wrong.has(name) && (
              <>
                <span aria-hidden="true"> ⚠</span>
                <span class="visually-hidden"> {t("config.has_problem")}</span>
              </>
            )}
          </a>
        ))}
      </nav>
      <section class="config-part" aria-label={sectionWords(part)}>
        <div class="rules-head">
          <h2>{sectionWords(part)}</h2>
          <HelpLink to={helpOf(part)} about={sectionWords(part)} />
        </div>
        {draft.values && <ConfigSection key={part} of={draft} name={part} />}
      </section>
    </div>
  );
}
