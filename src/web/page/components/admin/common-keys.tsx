// The keys of hub.toml that most houses change, as a form over its text.

import { type PlainValue, plainValueOf, withValue } from "../../state/toml-line.ts";
import { t } from "../../texts/index.ts";

type Kind = "text" | "number" | readonly string[];

/** Section, key, kind of its input, and its default for people. */
const KEYS: readonly (readonly [section: string, key: string, kind: Kind, fallback: string])[] = [
  ["location", "latitude", "number", ""],
  ["location", "longitude", "number", ""],
  ["location", "timezone", "text", ""],
  ["backup", "schedule", "text", ""],
  ["backup", "keep", "number", "7"],
  ["history", "retention_days", "number", "30"],
  ["alerts", "channel", "text", ""],
  ["server", "port", "number", "8080"],
  ["mqtt", "host", "text", "127.0.0.1"],
  ["log", "level", ["debug", "info", "warning", "error"], "info"],
];

const wordsOf = (key: string, section: string): string => t(`config.key_${section}_${key}` as Parameters<typeof t>[0]);

export function CommonKeys({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  return (
    <details>
      <summary>{t("config.common")}</summary>
      <div class="stacked-form">
        {KEYS.map(([section, key, kind, fallback]) => (
          <div key={section + key} class="field">
            <label for={`${section}-${key}`}>{wordsOf(key, section)}</label>
            <Input
              id={`${section}-${key}`}
              kind={kind}
              fallback={fallback}
              value={plainValueOf(text, section, key)}
              onChange={(value) => onChange(withValue(text, section, key, value))}
            />
          </div>
        ))}
      </div>
    </details>
  );
}

interface InputProps {
  id: string;
  kind: Kind;
  fallback: string;
  value: PlainValue | undefined;
  onChange: (value: PlainValue | undefined) => void;
}

function Input({ id, kind, fallback, value, onChange }: InputProps) {
  const shown = value === undefined ? "" : String(value);
  if (typeof kind !== "string")
    return (
      <select id={id} value={shown} onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}>
        <option value="">{t("config.default", { value: fallback })}</option>
        {kind.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    );
  const read = (written: string): PlainValue | undefined => (kind === "number" ? Number(written) : written);
  // At the end of typing: half a number is none.
  const change = ({ currentTarget: { value: written } }: { currentTarget: HTMLInputElement }): void =>
    onChange(written === "" ? undefined : read(written));
  const placeholder = fallback === "" ? t("config.unset") : t("config.default", { value: fallback });
  return kind === "number" ? (
    <input id={id} type="number" step="any" value={shown} placeholder={placeholder} onChange={change} />
  ) : (
    <input id={id} type="text" value={shown} placeholder={placeholder} autocapitalize="none" onChange={change} />
  );
}
