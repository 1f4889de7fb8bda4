// Words about messages to people that rules, channels and the API share.

/** The names of the priorities. */
export const PRIORITIES = { low: -1, normal: 0, high: 1, emergency: 2 } as const;
export type PriorityName = keyof typeof PRIORITIES;

/** As rules and callers give it: a name, or a number from -2 (silent) to 2 (emergency). */
export function priorityOf(given: PriorityName | number | undefined): number | undefined {
  return typeof given === "string" ? PRIORITIES[given] : given;
}

/** The answer that confirms a message: whoever gives it has seen to it. */
export const ACKNOWLEDGE = "acknowledge";
