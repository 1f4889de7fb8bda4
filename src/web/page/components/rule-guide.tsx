// stub
import type { Vocabulary } from "../state/rules.ts";
import type { WholeRule } from "./rule-sentence.tsx";
export function RuleGuide(_: {
  rule: WholeRule;
  vocabulary: Vocabulary;
  onChange: (rule: WholeRule) => Promise<void>;
}) {
  return null;
}
