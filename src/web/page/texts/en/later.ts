// English: what only views say that load when they are opened.
import { ruleActions } from "./rule-actions.ts";
import { ruleEdit } from "./rule-edit.ts";
import { ruleGuide } from "./rule-guide.ts";
import { ruleWords } from "./rule-words.ts";
import { rules } from "./rules.ts";

export const later = { rules, ruleWords, ruleActions, ruleEdit, ruleGuide };
