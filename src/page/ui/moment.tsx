// How long ago something was, or how soon it will be; the exact moment where the pointer rests.
import { useId, useMemo } from "preact/hooks";
import { now, secondsNow } from "../browser/now.ts";
import * as exact from "../model/text/formats.ts";
import { formatAge, formatDuration, formatMoment } from "../texts/index.ts";

export function Moment({ at }: { at: string }) {
  const title = useMemo(() => exact.formatExact(at), [at]);
  return (
    <time class="when" dateTime={at} title={title}>
      {exact.formatAge(at, secondsNow.value)}
    </time>
  );
}

/** How long ago something was; a touch, the pointer or focus shows the exact moment. */
interface AgeProps {
  /** ISO or epoch ms. */
  at: string | number;
  /** `ago`: "9 min ago"; `lasting`: "9 min". */
  as?: "ago" | "lasting";
  /** It stands at the end of its line. */
  atEnd?: boolean;
}

export function Age({ at, as = "ago", atEnd = false }: AgeProps) {
  const id = useId();
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return null;
  const text =
    as === "ago"
      ? formatAge(at, Math.max(now.value, moment.getTime()))
      : formatDuration(Math.max(0, now.value - moment.getTime()));
  return (
    <span class={atEnd ? "age end" : "age"}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: focus is how keyboards and touch get at the exact moment */}
      <time dateTime={moment.toISOString()} tabIndex={0} aria-describedby={id}>
        {text}
      </time>
      <span class="exact" role="tooltip" id={id}>
        {formatMoment(at)}
      </span>
    </span>
  );
}
