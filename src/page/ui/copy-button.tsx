// Puts a text into the clipboard. Without TLS browsers have none for pages: then the old way is tried, and its failure is reported.
import { useState } from "preact/hooks";
import { fromHub, t } from "../texts/index.ts";

export function CopyButton({ text }: { text: string }) {
  const [done, setDone] = useState<boolean>();
  async function copy(): Promise<void> {
    setDone(await copied(text));
    setTimeout(() => setDone(undefined), 3000);
  }
  return (
    <button type="button" onClick={() => void copy()}>
      <span role="status">{done === undefined ? t("copy.copy") : t(done ? "copy.done" : "copy.failed")}</span>
    </button>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

function copiedBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  const focused = document.activeElement;
  area.value = text;
  area.readOnly = true;
  area.className = "visually-hidden";
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

// A secret that is shown this once, to be copied.
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
