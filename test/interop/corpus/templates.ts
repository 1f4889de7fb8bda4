// Templates with their context and the right answer: each is compiled and evaluated.
import { evaluate } from "../../../src/house/discovery/templates/evaluate.ts";
import { fromJsonText } from "../../../src/house/discovery/templates/json-text.ts";
import { parse } from "../../../src/house/discovery/templates/syntax/statements.ts";
import { createTemplateEngine } from "../../../src/house/discovery/templates/template.ts";
import type { Value } from "../../../src/house/discovery/templates/values.ts";
import { Counts } from "./counts.ts";

// When the right answers were made.
const TIME = { at: Date.UTC(2026, 0, 1, 12), offsetMs: () => 0 };

/** Lines of `{"t": template, "ctx": {name: value}, "want": text, or null where it must be refused}`. */
export function checkTemplates(lines: readonly string[]): Counts {
  const counts = new Counts("templates");
  const engine = createTemplateEngine(() => TIME);
  for (const line of lines) {
    const { t, want } = JSON.parse(line) as { t: string; want: string | null };
    const got = render(t, line);
    counts.add(
      got === (want === null ? null : want.trim()),
      () => `${t.slice(0, 200)}: ${JSON.stringify({ want, got })}`,
    );
  }
  return counts;

  function render(template: string, line: string): string | null {
    try {
      engine.compile(template);
      // As the text of a message has them: 21.0 stays 21.0.
      const context = (fromJsonText(line) as Map<Value, Value>).get("ctx") as Map<string, Value>;
      const meter = { steps: 0, most: Number.POSITIVE_INFINITY };
      return evaluate(parse(template), new Map(context), { time: TIME, meter }).trim();
    } catch {
      return null;
    }
  }
}
