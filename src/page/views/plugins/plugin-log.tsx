// The last lines a plugin wrote, read anew while they are looked at.

import { useEffect, useRef, useState } from "preact/hooks";
import { Problem } from "../../parts/acting/problem.tsx";
import { type Plugin, pluginPath } from "../../state/house/plugins.ts";
import { useHubData } from "../../state/hub/watched.ts";
import { t } from "../../texts/index.ts";

const NONE: string[] = [];
const EVERY_MS = 2000;
const LINES = 200;
/** So near to its end somebody follows it. */
const NEAR_PX = 40;

export function PluginLog({ of: { id } }: { of: Plugin }) {
  const [open, setOpen] = useState(false);
  return (
    <section>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{t("plugins.log")}</summary>
        {open && <Lines of={id} />}
      </details>
    </section>
  );
}

function Lines({ of: id }: { of: string }) {
  const { value: lines, problem } = useHubData<string[]>(`${pluginPath(id)}/log?lines=${LINES}`, {
    after: NONE,
    everyMs: EVERY_MS,
  });
  const box = useRef<HTMLElement>(null);
  const follows = useRef(true);
  const last = lines?.at(-1);

  useEffect(() => {
    if (follows.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [last, lines?.length]);

  return (
    <>
      <Problem of={problem} />
      {lines?.length === 0 && <p class="hint">{t("plugins.log_empty")}</p>}
      {lines && lines.length > 0 && (
        <section
          ref={box}
          class="log"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard
          tabIndex={0}
          aria-label={t("plugins.log")}
          onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
            follows.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
          }}
        >
          <pre class="code">{lines.join("\n")}</pre>
        </section>
      )}
    </>
  );
}
