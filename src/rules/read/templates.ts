// Checks the placeholders in texts when a rule is read: expressions in them must be right, and formats must exist.
import { isObject } from "../../kit/schema/json.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { placeholdersIn } from "../../kit/text/placeholders.ts";
import { MAX_EXPRESSIONS } from "../../kit/text/template.ts";
import { TEMPLATE, TEMPLATES } from "../model/fields.ts";
import { type Place, under } from "./walk.ts";

/** The texts with placeholders at this place: itself, or those within its value. */
export function templatesAt({ schema, value, path }: Place): { text: string; path: string }[] {
  if (schema[TEMPLATES]) return textsIn(value, path);
  return schema[TEMPLATE] && typeof value === "string" ? [{ text: value, path }] : [];
}

export function templateProblems(place: Place, checkExpression: (text: string) => string | undefined): Problem[] {
  if (!place.schema[TEMPLATE] && !place.schema[TEMPLATES]) return [];
  return templatesAt(place).flatMap(({ text, path }) => {
    const placeholders = placeholdersIn(text);
    const expressions = placeholders.filter(({ expression }) => expression);
    if (expressions.length > MAX_EXPRESSIONS)
      return [
        { path, message: `a text has at most ${MAX_EXPRESSIONS} expressions: compute them before, with set_variable` },
      ];
    return expressions.flatMap(({ source, text: expression, problem }) => {
      const message = problem ?? (expression === "" ? "the expression is empty" : checkExpression(expression));
      return message === undefined ? [] : [{ path, message: `{{${source}}}: ${message}` }];
    });
  });
}

function textsIn(value: unknown, path: string): { text: string; path: string }[] {
  if (typeof value === "string") return [{ text: value, path }];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, `${path}[${index}]`));
  return isObject(value) ? Object.entries(value).flatMap(([key, item]) => textsIn(item, under(path, key))) : [];
}
