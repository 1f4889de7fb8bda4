// What is wrong with the files that the configuration names: certificate, plugins, templates.
import { readCertificate, timeProblem } from "../../api/http/listen/certificate.ts";
import type { Problem } from "../../kit/schema/schema.ts";
import { missingFiles } from "../../reach/notify/missing-files.ts";
import { startProblems } from "../../reach/plugins/command.ts";
import type { Home } from "../../server/home/paths.ts";
import type { HubConfig } from "./sections.ts";

/** Paths are those of the file. */
export function fileProblems(config: HubConfig, home: Home, now: number): Problem[] {
  const certificate = readCertificate(config.server, home.resolve);
  return [
    ...(certificate?.ok === false ? [certificate.problem] : []),
    ...[timeProblem(certificate, now)].flatMap((problem) => problem ?? []),
    ...startProblems(config.plugins, home),
    ...missingFiles(config.notify, home.resolve),
  ].map((problem) => ({ ...problem, path: pathInFile(config, problem.path) }));
}

/** The configuration leaves out wrong entries, so indexes in the file may be higher. */
function pathInFile({ faults = [] }: HubConfig, path: string): string {
  const entry = /^plugins\[(\d+)\]/;
  const wrong = new Set(faults.map((fault) => Number(entry.exec(fault.path)?.[1] ?? -1)));
  return path.replace(entry, (_, index: string) => {
    let at = 0;
    for (let before = Number(index); before > 0 || wrong.has(at); at++) if (!wrong.has(at)) before--;
    return `plugins[${at}]`;
  });
}
