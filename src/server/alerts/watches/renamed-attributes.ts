// Rules about attributes that mean something else since a newer version of the hub, until somebody has decided about each.
import type { Watch } from "../alert.ts";

const MAX_NAMED = 5;

export function renamedAttributesWatch(waiting: () => readonly { name: string }[]): Watch {
  return {
    name: "renamed attributes",
    check() {
      const rules = waiting();
      if (rules.length === 0) return [];
      const named = rules.slice(0, MAX_NAMED).map(({ name }) => name);
      const names = [...named, ...(rules.length > MAX_NAMED ? [`${rules.length - MAX_NAMED} more`] : [])].join(", ");
      return [
        {
          kind: "rules_renamed_attributes",
          severity: "warning",
          message: `Since this version of the hub, attributes that rules use have another name or mean the opposite (${names})`,
          mend: "What fires on them is held back. See each under Rules on the page, or with `hub rules turn --dry-run`: `hub rules turn` changes them, and on the page you can say that one is right as it is.",
          values: { rules: rules.length, names },
        },
      ];
    },
  };
}
