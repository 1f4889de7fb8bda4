// Checks the rule files of a folder without a hub, for `hub check`. Writes nothing.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../kit/lifecycle/log.ts";
import { messageOf, systemCode } from "../../kit/schema/errors.ts";
import { shippedBlueprints } from "../blueprints/shipped.ts";
import { type KnownHouse, lintText } from "../read/lint.ts";
import { ruleShape } from "../read/vocabulary.ts";
import { type BlueprintFile, BlueprintFiles } from "./blueprint-files.ts";
import { BLUEPRINTS } from "./blueprints.ts";
import { type Exists, warningsOf } from "./describe.ts";
import { isRuleFileName, ruleFilesIn } from "./disk.ts";
import { createRuleFiles } from "./files.ts";
import { createRuleReader, type ExpressionReader, placeIn } from "./read-rule.ts";

/** `rules/kitchen.ron:12:3: actions[0].channel: …`, with the lines of the place. */
export interface RuleFinding {
  /** Path of the file. */
  file: string;
  /** 1-based; 0 for the folder as a whole. */
  line: number;
  column: number;
  path?: string;
  message: string;
  frame?: string;
  /** It does not keep the rule from running. */
  warning: boolean;
}

export interface CheckedRules {
  /** How many rule files there are. */
  files: number;
  /** In the order of files and lines. */
  findings: RuleFinding[];
}

/** The hub's blueprints and those in a folder of rules, as they are now. */
export function blueprintsIn(folder: string, expressions: ExpressionReader): BlueprintFiles {
  const blueprints = new BlueprintFiles({
    folder: join(folder, BLUEPRINTS),
    shipped: shippedBlueprints,
    shape: ruleShape(),
    checkExpression: expressions.check,
    onChange() {},
  });
  for (const name of ruleFilesIn(join(folder, BLUEPRINTS))) blueprints.load(name);
  return blueprints;
}

export function checkRuleFiles(
  folder: string,
  { exists, expressions, house = {} }: { exists: Exists; expressions: ExpressionReader; house?: KnownHouse },
): CheckedRules {
  let names: string[];
  try {
    names = readdirSync(folder).filter(isRuleFileName).sort();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return { files: 0, findings: [] };
    return { files: 0, findings: [{ file: folder, line: 0, column: 0, message: messageOf(error), warning: false }] };
  }
  const blueprints = blueprintsIn(folder, expressions);
  const reader = createRuleReader(expressions, blueprints);
  const files = createRuleFiles({
    folder,
    log: silentLog,
    reader,
    // A start would write one into the file.
    giveId: (file, text) => ({ text, id: `to be given to ${file}` }),
    runner: { put() {}, remove() {} },
  });
  for (const name of names) files.load(name);
  const known: Exists = { ...exists, rule: (id) => files.ownerOf(id) !== undefined };
  const findings = files.list().flatMap((entry) => {
    const at = { file: join(folder, entry.file) };
    const { text, good } = entry;
    const linted =
      text && good ? lintText(text, good.rule, { shape: reader.shape, house, placeOf: placeIn(good) }) : [];
    const warnings = [...warningsOf(entry, known), ...linted].sort((a, b) => a.line - b.line || a.column - b.column);
    return [
      ...entry.problems.map((problem) => ({ ...at, ...problem, warning: false })),
      ...warnings.map((warning) => ({ ...at, ...warning, warning: true })),
    ];
  });
  return { files: files.size, findings: [...blueprintFindings(folder, blueprints), ...findings] };
}

function blueprintFindings(folder: string, blueprints: BlueprintFiles): RuleFinding[] {
  const at = ({ file }: BlueprintFile) => ({ file: join(folder, BLUEPRINTS, file) });
  const own = blueprints.list().filter(({ source }) => source === "own");
  return [
    ...blueprints
      .broken()
      .flatMap((one) => one.problems.map((problem) => ({ ...at(one), ...problem, warning: false }))),
    ...own.flatMap((one) => one.warnings.map((warning) => ({ ...at(one), ...warning, warning: true }))),
  ];
}

/** As compilers write it, so that editors can jump there. */
export function formatFinding({ file, line, column, path, message, frame, warning }: RuleFinding): string {
  const place = line > 0 ? `${file}:${line}:${column}` : file;
  const head = `${place}: ${warning ? "warning: " : ""}${path ? `${path}: ` : ""}${message}`;
  return frame === undefined ? head : `${head}\n${frame}`;
}
