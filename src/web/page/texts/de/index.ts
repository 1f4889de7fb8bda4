// Was die Seite sagt, auf Deutsch.
import type { Parts } from "../catalogue.ts";
import { device } from "./device.ts";
import { frame } from "./frame.ts";
import { home } from "./home.ts";
import { ruleActions } from "./rule-actions.ts";
import { ruleEdit } from "./rule-edit.ts";
import { ruleGuide } from "./rule-guide.ts";
import { ruleWords } from "./rule-words.ts";
import { rules } from "./rules.ts";

export const parts: Parts = { frame, home, device, rules, ruleWords, ruleActions, ruleEdit, ruleGuide };
