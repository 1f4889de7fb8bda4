// Which rules' texts a service refused as they were written, so that their authors see it: until the rule is changed, or a message of
// it arrives in that channel as written. In memory: after a restart the next message reports it again.

export interface RefusedTexts {
  /** Undefined: it arrived as it was written. */
  note(message: { readonly rule?: string }, channel: string, refusal: string | undefined): void;
  /** In words for the author. */
  of(rule: string): string[];
  /** It has another text now. */
  forget(rule: string): void;
}

const MAX_RULES = 1000;

export function createRefusedTexts(): RefusedTexts {
  const byRule = new Map<string, Map<string, string>>();
  return {
    note({ rule }, channel, refusal) {
      if (rule === undefined) return;
      const known = byRule.get(rule);
      if (refusal === undefined) {
        known?.delete(channel);
        if (known?.size === 0) byRule.delete(rule);
        return;
      }
      if (!known && byRule.size >= MAX_RULES) byRule.clear();
      byRule.set(rule, (known ?? new Map<string, string>()).set(channel, refusal));
    },
    of: (rule) =>
      [...(byRule.get(rule) ?? [])].map(
        ([channel, refusal]) =>
          `${channel} refused the text of its last message, which was sent as plain text: ${refusal}`,
      ),
    forget: (rule) => void byRule.delete(rule),
  };
}
