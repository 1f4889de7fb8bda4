// Facts with their names, in two columns.
import type { ComponentChildren } from "preact";

export function Facts({ of: facts }: { of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts values">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
