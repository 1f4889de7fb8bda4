// What is wrong with a rule's text, each with its place to go to.

import { ruleProblem } from "../../../model/rules/problem-words.ts";
import type { RuleProblem } from "../../../model/rules/rule.ts";
import { nameOfDevice } from "../../../state/house/house.ts";
import { t } from "../../../texts/index.ts";

type Listed = RuleProblem & { warning: boolean };

export function RuleProblems({ problems, onGo }: { problems: readonly Listed[]; onGo: (problem: Listed) => void }) {
  if (problems.length === 0) return null;
  return (
    <ul class="rule-problems">
      {problems.map((problem) => (
        <li key={`${problem.line} ${problem.column} ${problem.message}`} class={problem.warning ? "warning" : "error"}>
          <button type="button" onClick={() => onGo(problem)}>
            {t(problem.warning ? "edit.warning_at" : "edit.problem_at", { line: problem.line, column: problem.column })}
          </button>{" "}
          <span dir="auto">{ruleProblem(problem.message, nameOfDevice)}</span>
        </li>
      ))}
    </ul>
  );
}
