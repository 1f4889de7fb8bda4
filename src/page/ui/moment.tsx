// How long ago something was, or how soon it will be; the exact moment where the pointer rests.

import { useMemo } from "preact/hooks";
import { formatAge, formatExact } from "../model/time/exact.ts";
import { useNow } from "./use-now.ts";

export function Moment({ at }: { at: string }) {
  const exact = useMemo(() => formatExact(at), [at]);
  return (
    <time class="when" dateTime={at} title={exact}>
      {formatAge(at, useNow())}
    </time>
  );
}
