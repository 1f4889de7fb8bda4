// How long ago something was, or how soon it will be; the exact moment where the pointer rests.
import { formatAge, formatExact } from "./exact.ts";
import { useNow } from "./ticking.ts";

export function Moment({ at }: { at: string }) {
  return (
    <time class="moment" dateTime={at} title={formatExact(at)}>
      {formatAge(at, useNow())}
    </time>
  );
}
