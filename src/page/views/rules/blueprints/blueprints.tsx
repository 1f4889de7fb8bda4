// All blueprints: what each does, and which rules are made of it.
import { useEffect } from "preact/hooks";
import { Problem } from "../../../parts/acting/problem.tsx";
import { type Blueprint, blueprints } from "../../../state/house/blueprints.ts";
import { get } from "../../../state/hub/api.ts";
import { useWatched } from "../../../state/hub/watched.ts";
import { t } from "../../../texts/index.ts";
import { titleOf, whatOf } from "./blueprint-words.ts";

const EVERY_MS = 15_000;

export function Blueprints() {
  const { data, error } = useWatched("blueprints", () => get<Blueprint[]>("/blueprints"), {
    every: EVERY_MS,
    concerns: () => false,
  });
  useEffect(() => {
    if (data) blueprints.value = new Map(data.map((one) => [one.id, one]));
  }, [data]);
  return (
    <>
      <p class="crumb">
        <a href="/rules">{t("rules.back")}</a>
      </p>
      <h1>{t("blueprints.title")}</h1>
      <p>{t("blueprints.what")}</p>
      <Problem of={error} />
      {data && <BlueprintList blueprints={data} />}
    </>
  );
}

// Blueprints to choose from: what each does, and the rules that use it.
interface ListProps {
  blueprints: readonly Blueprint[];
  /** One below the heading it stands under. */
  heading?: "h2" | "h3";
}

export function BlueprintList({ blueprints, heading: Heading = "h2" }: ListProps) {
  const sorted = blueprints.toSorted((a, b) => titleOf(a).localeCompare(titleOf(b)));
  return (
    <ul class="rules-list blueprints">
      {sorted.map((one) => (
        <li key={one.id} class={one.problems.length > 0 ? "rule-card broken" : "rule-card"}>
          <Heading>
            <a class="rule-name" href={`/blueprints/${encodeURIComponent(one.id)}`} dir="auto">
              {titleOf(one)}
            </a>
          </Heading>
          <p dir="auto">{whatOf(one)}</p>
          <BlueprintFacts blueprint={one} />
        </li>
      ))}
    </ul>
  );
}

/** Whose it is, what is wrong with it, and who uses it. */
export function BlueprintFacts({
  blueprint: { source, shadows, file, problems, used_by: users },
}: {
  blueprint: Blueprint;
}) {
  const [problem] = problems;
  return (
    <>
      {source === "own" && <p class="hint">{t(shadows ? "blueprints.shadows" : "blueprints.own", { file })}</p>}
      {problem && (
        <p class="problem">
          {t("rules.problem_at", { file, line: problem.line, column: problem.column })}{" "}
          <span dir="auto">{problem.message}</span>
        </p>
      )}
      {users.length > 0 && (
        <p class="hint">
          {t("blueprints.used_by")}{" "}
          {users.map(({ id, name }, at) => (
            <span key={id}>
              {at > 0 && ", "}
              <a href={`/rules/${encodeURIComponent(id)}`} dir="auto">
                {name}
              </a>
            </span>
          ))}
        </p>
      )}
    </>
  );
}
