// A vertical line of moments, each with a mark: what happened one after the other, and how it went.
import type { ComponentChildren } from "preact";
import { t } from "../../../texts/index.ts";
import { AnyIcon, type AnyIconName } from "../../../ui/more-icons.tsx";

export type Mark = "start" | "yes" | "no" | "done" | "failed" | "waiting" | "skipped";

const ICONS: Readonly<Record<Mark, AnyIconName>> = {
  start: "bolt",
  yes: "check",
  no: "cross",
  done: "check",
  failed: "alert",
  waiting: "timer",
  skipped: "skip",
};

export function Timeline({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <ol class="timeline" aria-label={label}>
      {children}
    </ol>
  );
}

interface MomentProps {
  mark: Mark;
  /** What is said beside the mark, at the end of its line: a time, how long it took. */
  aside?: ComponentChildren;
  title: string;
  /** More about it, such as the values that were found. */
  children?: ComponentChildren;
}

export function Moment({ mark, title, aside, children }: MomentProps) {
  return (
    <li class={`moment ${mark}`}>
      <span class="mark">
        <AnyIcon name={ICONS[mark]} size={16} />
        <span class="visually-hidden">{t(`timeline.${mark}`)}: </span>
      </span>
      <div class="moment-body">
        <p class="moment-title">
          <span>{title}</span>
          {aside !== undefined && <span class="aside">{aside}</span>}
        </p>
        {children}
      </div>
    </li>
  );
}
