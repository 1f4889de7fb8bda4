// A notification channel as a form: a new one or one of hub.toml, shown as a difference before it is saved, then the restart.

import { useRef, useState } from "preact/hooks";
import { type ConfigPath, isTable, nameOfPath, valueAt } from "../../model/config/config-values.ts";
import type { FormSchema } from "../../model/config/form-schema.ts";
import type { Json } from "../../model/device/json.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { mayAct } from "../../parts/acting/use-act.tsx";
import { entrySchema, startOf } from "../../parts/config/config-entries.tsx";
import { ConfigFields } from "../../parts/config/config-fields.tsx";
import { ConfigReview } from "../../parts/config/config-review.tsx";
import { ConfigWaiting } from "../../parts/config/config-waiting.tsx";
import { type ConfigDraft, useConfigDraft } from "../../parts/config/use-config-draft.ts";
import { t } from "../../texts/index.ts";

const CHANNELS: ConfigPath = ["notify", "channels"];

interface ChannelEditorProps {
  /** Of the channel that is changed; undefined for a new one. */
  name: string | undefined;
  onDone: () => void;
}

export function ChannelEditor({ name, onDone }: ChannelEditorProps) {
  const { draft, problem } = useConfigDraft();
  const [step, setStep] = useState<"form" | "review" | "removal" | "saved">("form");
  // It keeps its place while its name is typed.
  const [index, setIndex] = useState<number>();
  const isFound = useRef(false);
  if (!draft?.values) return <Problem of={problem} />;
  const items = draft.schema.properties?.notify?.properties?.channels?.items ?? {};
  if (name !== undefined && !isFound.current) {
    isFound.current = true;
    setIndex(channelsIn(draft).findIndex((channel) => isTable(channel) && channel.name === name));
  }

  function editOn(): void {
    if (step === "removal") draft?.setText(draft.file.text);
    setStep("form");
  }
  function cancel(): void {
    draft?.setText(draft.file.text);
    onDone();
  }
  return (
    <>
      <Problem of={problem} />
      {step === "saved" && <Saved of={draft} onDone={onDone} />}
      {(step === "review" || step === "removal") && (
        <ConfigReview of={draft} onBack={editOn} onSaved={() => setStep("saved")} />
      )}
      {step === "form" && name === undefined && index === undefined && (
        <Kinds of={draft} items={items} onAdded={setIndex} onCancel={cancel} />
      )}
      {step === "form" && index !== undefined && (
        <Fields
          of={draft}
          items={items}
          path={[...CHANNELS, index]}
          onReview={() => setStep("review")}
          onRemove={() => setStep("removal")}
          onCancel={cancel}
        />
      )}
    </>
  );
}

function channelsIn({ values }: ConfigDraft): Json[] {
  const held = valueAt(values, CHANNELS);
  return Array.isArray(held) ? held : [];
}

interface KindsProps {
  of: ConfigDraft;
  items: FormSchema;
  onAdded: (index: number) => void;
  onCancel: () => void;
}

function Kinds({ of: draft, items, onAdded, onCancel }: KindsProps) {
  function add(kind: FormSchema): void {
    const index = channelsIn(draft).length;
    draft.edit([{ path: [...CHANNELS, index], value: startOf(kind) }]);
    onAdded(index);
  }
  return (
    <>
      <p>{t("channel.which")}</p>
      <div class="buttons">
        {items.anyOf?.map((kind) => (
          <button key={kind.title} type="button" class="main" onClick={() => add(kind)}>
            {kind.title}
          </button>
        ))}
        <button type="button" onClick={onCancel}>
          {t("remove.keep")}
        </button>
      </div>
    </>
  );
}

interface FieldsProps {
  of: ConfigDraft;
  items: FormSchema;
  path: ConfigPath;
  onReview: () => void;
  onRemove: () => void;
  onCancel: () => void;
}

function Fields({ of: draft, items, path, onReview, onRemove, onCancel }: FieldsProps) {
  const entry = valueAt(draft.values, path);
  if (!isTable(entry)) return <p>{t("channel.gone")}</p>;

  function take(): void {
    draft.edit([{ path }]);
    onRemove();
  }
  return (
    <>
      <ConfigFields of={draft} path={path} schema={entrySchema(items, entry, nameOfPath(CHANNELS))} />
      <div class="buttons">
        <button type="button" class="main" disabled={!draft.isChanged || !mayAct("admin")} onClick={onReview}>
          {t("config.review")}
        </button>
        <button type="button" onClick={onCancel}>
          {t("remove.keep")}
        </button>
        <button type="button" class="danger" disabled={!mayAct("admin")} onClick={take}>
          {t("channel.remove")}
        </button>
      </div>
    </>
  );
}

function Saved({ of: draft, onDone }: { of: ConfigDraft; onDone: () => void }) {
  return (
    <>
      <p role="status">{t("channel.saved")}</p>
      <ConfigWaiting of={draft} onBack={async () => onDone()} />
      <div class="buttons">
        <button type="button" onClick={onDone}>
          {t("channel.back")}
        </button>
      </div>
    </>
  );
}
