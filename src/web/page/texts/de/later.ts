// Deutsch: was nur Ansichten sagen, die erst beim Öffnen geladen werden.
import type { Later } from "../catalogue.ts";
import { ruleActions } from "./rule-actions.ts";
import { ruleEdit } from "./rule-edit.ts";
import { ruleGuide } from "./rule-guide.ts";
import { ruleWords } from "./rule-words.ts";
import { rules } from "./rules.ts";

export const later: Later = { rules, ruleWords, ruleActions, ruleEdit, ruleGuide };
