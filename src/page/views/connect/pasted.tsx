// Lines to enter somewhere else, with a button that copies them.
import { useRef, useState } from "preact/hooks";
import { t } from "../../texts/index.ts";

export function Pasted({ lines }: { lines: readonly string[] }) {
  const block = useRef<HTMLPreElement>(null);
  const [outcome, setOutcome] = useState<"copied" | "not_copied">();

  async function copy(): Promise<void> {
    const isCopied = (await copiedText(lines.join("\n"))) || copiedBlock(block.current);
    setOutcome(isCopied ? "copied" : "not_copied");
  }

  return (
    <div class="pasted">
      <pre ref={block}>{lines.join("\n")}</pre>
      <p class="buttons">
        <button type="button" onClick={() => void copy()}>
          {t("connect.copy")}
        </button>
        <span role="status">{outcome && t(`connect.${outcome}`)}</span>
      </p>
    </div>
  );
}

/** Browsers give pages a clipboard under TLS only. */
async function copiedText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** The old way, which works without TLS too; the lines stay marked where it does not. */
function copiedBlock(block: HTMLElement | null): boolean {
  if (!block) return false;
  getSelection()?.selectAllChildren(block);
  return document.execCommand("copy");
}
