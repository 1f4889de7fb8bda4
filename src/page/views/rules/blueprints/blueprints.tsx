// All blueprints: what each does, and which rules are made of it.
import { useEffect } from "preact/hooks";
import { Problem } from "../../../parts/acting/problem.tsx";
import { type Blueprint, blueprints } from "../../../state/house/blueprints.ts";
import { get } from "../../../state/hub/api.ts";
import { useWatched } from "../../../state/hub/watched.ts";
import { t } from "../../../texts/index.ts";
import { BlueprintList } from "./blueprint-list.tsx";

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
