// A component that is loaded when it is first shown.
import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { ApiError } from "../../state/hub/api.ts";
import { loadLater } from "../../texts/index.ts";
import { Problem } from "./problem.tsx";

const UNREACHABLE = new ApiError(0, { code: "unreachable" });

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  // In an object: a signal would take the component for its updater.
  const loaded = signal<{ Shown: ComponentType<Props> } | undefined>(undefined);
  const failed = signal(false);

  function fetchIt(): void {
    if (loaded.peek()) return;
    failed.value = false;
    load().then(
      (Shown) => {
        loaded.value = { Shown };
      },
      () => {
        failed.value = true;
      },
    );
  }

  return function Later(props: Props) {
    useEffect(fetchIt, []);
    if (failed.value) return <Problem of={UNREACHABLE} />;
    if (!loaded.value) return null;
    const { Shown } = loaded.value;
    return <Shown {...props} />;
  };
}

/** With the texts of all that is loaded later. */
export function laterWithTexts<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return later(async () => {
    const [Shown] = await Promise.all([load(), loadLater()]);
    return Shown;
  });
}
