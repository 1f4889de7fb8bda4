// homeCore's actions as ours, by their types. Those that are not listed are the same in both.
import { isPlacedObject, listAt, type Placed } from "../place.ts";
import type { Translating } from "../translating.ts";
import type { ActionTools, TranslateAction } from "./action.ts";
import { deviceActions } from "./devices.ts";
import { flowActions } from "./flow.ts";
import { hubActions } from "./hub.ts";

const actions: Readonly<Record<string, TranslateAction>> = { ...deviceActions, ...flowActions, ...hubActions };

export function actionsOf(list: Placed | undefined, to: Translating): Placed | undefined {
  if (!list || !Array.isArray(list.value)) return list;
  const tools: ActionTools = { to, inner: (actions) => actionsOf(actions, to) };
  const translated = list.items().map((action) => {
    if (!isPlacedObject(action)) return action;
    const { type } = action.value;
    const translate = typeof type === "string" && Object.hasOwn(actions, type) ? actions[type] : undefined;
    return translate?.(action, tools) ?? action;
  });
  return listAt(list, translated);
}
