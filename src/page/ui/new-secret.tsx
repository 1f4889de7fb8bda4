// A secret that is shown this once, to be copied.
import { fromHub, t } from "../texts/index.ts";
import { CopyButton } from "./copy-button.tsx";

interface NewSecretProps {
  title: string;
  text: string;
  notes?: readonly string[];
  onDone: () => void;
}

export function NewSecret({ title, text, notes = [], onDone }: NewSecretProps) {
  return (
    <section class="new-secret" role="status" aria-label={title}>
      <h2 dir="auto">{title}</h2>
      {notes.map((note) => (
        <p key={note} dir="auto">
          {fromHub(note)}
        </p>
      ))}
      <pre class="code">{text}</pre>
      <p class="hint">{t("secret.once")}</p>
      <div class="buttons">
        <CopyButton text={text} />
        <button type="button" onClick={onDone}>
          {t("secret.done")}
        </button>
      </div>
    </section>
  );
}
