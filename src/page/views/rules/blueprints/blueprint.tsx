// One blueprint: what it does, who uses it, and a rule made of it.

import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { Problem } from "../../../parts/acting/problem.tsx";
import { type Blueprint, blueprintPath, blueprints, readBlueprints } from "../../../state/house/blueprints.ts";
import { get } from "../../../state/hub/api.ts";
import { allows } from "../../../state/hub/session.ts";
import { t } from "../../../texts/index.ts";
import { toast } from "../../../ui/toast.ts";
import { loadNames } from "../words/rule-names.ts";
import { BlueprintForm } from "./blueprint-form.tsx";
import { titleOf, whatOf } from "./blueprint-words.ts";
import { BlueprintFacts } from "./blueprints.tsx";

export function BlueprintView() {
  const { params } = useRoute();
  const { route } = useLocation();
  const id = params.id ?? "";
  const [problem, setProblem] = useState<unknown>();
  const blueprint = blueprints.value.get(id);
  useEffect(() => {
    void loadNames();
    // Asked for by its id, so that one that is not there is said.
    Promise.all([get<Blueprint>(blueprintPath(id)), readBlueprints()]).then(() => setProblem(undefined), setProblem);
  }, [id]);
  return (
    <>
      <p class="crumb">
        <a href="/blueprints">{t("blueprints.back")}</a>
      </p>
      <Problem of={problem} />
      {blueprint && (
        <>
          <h1 dir="auto">{titleOf(blueprint)}</h1>
          <p dir="auto">{whatOf(blueprint)}</p>
          <BlueprintFacts blueprint={blueprint} />
          {allows("admin") && blueprint.problems.length === 0 && (
            <>
              <h2>{t("blueprints.new_rule")}</h2>
              <BlueprintForm
                key={id}
                blueprint={blueprint}
                onMade={(made) => {
                  toast(t("blueprints.made"));
                  route(`/rules/${encodeURIComponent(made)}?tab=try`);
                }}
              />
            </>
          )}
        </>
      )}
    </>
  );
}
