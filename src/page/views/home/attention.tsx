// What needs attention, above all else. Gone when there is nothing.
import { useEffect } from "preact/hooks";
import { matters, startAttention } from "../../state/home/attention.ts";
import type { Matter } from "../../state/home/device-matters.ts";
import { t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";

const MAX_PARTS = 50;

export function Attention() {
  useEffect(startAttention, []);
  const all = matters.value;
  if (all.length === 0) return null;
  return (
    <section class="attention" aria-label={t("attention.title")}>
      <h2>{t("attention.title")}</h2>
      <ul>
        {all.map((matter) => (
          <Line key={matter.id} matter={matter} />
        ))}
      </ul>
    </section>
  );
}

function Line({ matter: { severity, title, text, href, parts, dismiss } }: { matter: Matter }) {
  return (
    <li class={`matter ${severity}`}>
      <Icon name="alert" />
      <div>
        {parts ? (
          <details>
            <summary>{title}</summary>
            <ul>
              {parts.slice(0, MAX_PARTS).map((part) => (
                <li key={part.href}>
                  <a class="part" href={part.href} dir="auto">
                    {part.name}
                  </a>
                </li>
              ))}
            </ul>
          </details>
        ) : (
          <a class="line" href={href} dir="auto">
            {title}
          </a>
        )}
        {text !== "" && (
          <p class="hint" dir="auto">
            {text}
          </p>
        )}
      </div>
      {dismiss && (
        <button type="button" class="bare" aria-label={t("attention.dismiss")} onClick={dismiss}>
          <Icon name="close" />
        </button>
      )}
    </li>
  );
}
