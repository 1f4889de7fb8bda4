// What the page says, in English: one file for each part of the page, and one line here.
import { device } from "./device.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { ruleActions } from "./rule-actions.ts";
import { ruleEdit } from "./rule-edit.ts";
import { ruleGuide } from "./rule-guide.ts";
import { ruleWords } from "./rule-words.ts";
import { rules } from "./rules.ts";

export const parts = { frame, home, device, rules, ruleWords, ruleActions, ruleEdit, ruleGuide };
