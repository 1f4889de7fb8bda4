// A text with its lines numbered, and problems at their lines.
import { useId, useRef } from "preact/hooks";
import type { TextProblem } from "../../model/config/form-schema.ts";
import { t } from "../../texts/index.ts";

interface ConfigTextProps {
  label: string;
  value: string;
  problems: readonly TextProblem[];
  onChange: (text: string) => void;
}

export function ConfigText({ label, value, problems, onChange }: ConfigTextProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const id = useId();
  const lines = value.split("\n");
  const wrong = new Map(problems.map((problem) => [problem.line, problem.warning ? "warned" : "wrong"]));

  function show({ line = 1, column = 1 }: TextProblem): void {
    const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    const at = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
    area.current?.focus();
    area.current?.setSelectionRange(at, at);
    const height = (area.current?.scrollHeight ?? 0) / lines.length;
    area.current?.scrollTo({ top: Math.max(0, (line - 5) * height) });
  }

  return (
    <>
      <label class="visually-hidden" for={id}>
        {label}
      </label>
      <div class="config-text code">
        <div class="numbers" ref={gutter} aria-hidden="true">
          {lines.map((_, index) => (
            <span key={index} class={wrong.get(index + 1)}>
              {index + 1}
            </span>
          ))}
        </div>
        <textarea
          ref={area}
          id={id}
          value={value}
          wrap="off"
          rows={Math.min(32, Math.max(12, lines.length + 1))}
          spellcheck={false}
          autocapitalize="none"
          autocomplete="off"
          aria-invalid={problems.some(({ warning }) => !warning)}
          aria-describedby={`${id}-problems`}
          onInput={(event) => onChange(event.currentTarget.value)}
          onScroll={(event) => gutter.current?.scrollTo({ top: event.currentTarget.scrollTop })}
        />
      </div>
      <ul class="text-problems" id={`${id}-problems`} aria-live="polite">
        {problems.map((problem) => (
          <li key={`${problem.line} ${problem.path} ${problem.message}`} class={problem.warning ? "warned" : "wrong"}>
            {problem.line !== undefined && (
              <button type="button" onClick={() => show(problem)}>
                {t("config.line", { line: problem.line })}
              </button>
            )}
            <span class="says" dir="auto">
              {problem.warning ? t("config.warning") : problem.confined ? t("config.confined") : t("config.fatal")}{" "}
              {problem.path && <code>{problem.path}</code>} {problem.message}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
