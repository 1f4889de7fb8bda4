// A list of things that are administered: each with its name, what is known of it, and what can be done.
import type { ComponentChildren } from "preact";
import { Problem } from "./problem.tsx";
import type { HubData } from "./use-hub-data.ts";

interface EntriesProps<T> {
  of: HubData<T[]>;
  empty: string;
  label: string;
  children: (one: T) => ComponentChildren;
}

export function Entries<T>({ of: { value, problem }, empty, label, children }: EntriesProps<T>) {
  return (
    <>
      <Problem of={problem} />
      {value?.length === 0 && <p class="hint">{empty}</p>}
      {value !== undefined && value.length > 0 && (
        <ul class="entries" aria-label={label}>
          {value.map(children)}
        </ul>
      )}
    </>
  );
}

interface EntryProps {
  name: ComponentChildren;
  /** What is known of it, in one or two lines. */
  about?: ComponentChildren;
  /** Something is wrong with it. */
  bad?: boolean;
  children?: ComponentChildren;
}

export function Entry({ name, about, bad = false, children }: EntryProps) {
  return (
    <li class={bad ? "entry bad" : "entry"}>
      <div class="what">
        <p class="name" dir="auto">
          {name}
        </p>
        {about !== undefined && <div class="about">{about}</div>}
      </div>
      {children !== undefined && <div class="buttons">{children}</div>}
    </li>
  );
}
