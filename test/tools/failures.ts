// What failed in a run of `bun test`: its JUnit report names the tests, its output what was thrown outside of them.
import { Parser } from "htmlparser2";

export interface Failure {
  /** The file, and the test's name with those of its groups. */
  test: string;
  lines: readonly string[];
}

export function failuresIn(output: string, report: string): Failure[] {
  return [...failedTests(report), ...errorsBetween(output)];
}

function failedTests(report: string): Failure[] {
  const failures: Failure[] = [];
  let test = "";
  let message = "";
  let text: string | undefined;
  const parser = new Parser(
    {
      onopentag(name, { file, classname, name: own, message: given = "" }) {
        if (name === "testcase") test = `${file}: ${classname ? `${classname} > ` : ""}${own}`;
        if (name !== "failure") return;
        message = given;
        text = "";
      },
      ontext(data) {
        if (text !== undefined) text += data;
      },
      onclosetag(name) {
        if (name !== "failure" || text === undefined) return;
        failures.push({ test, lines: (text.trim() || message).split("\n") });
        text = undefined;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(report);
  return failures;
}

const HEADING = /^\S+\.tsx?:$/;

/** The file whose tests ran last. */
export function lastFileIn(output: string): string {
  return (output.split("\n").findLast((line) => HEADING.test(line)) ?? "").slice(0, -1);
}

/** Errors at the load of a file, or of a test that was over; the report knows nothing of them. */
function errorsBetween(output: string): Failure[] {
  const failures: Failure[] = [];
  let file = "";
  let lines: string[] | undefined;
  for (const line of output.split("\n")) {
    if (HEADING.test(line)) file = line.slice(0, -1);
    else if (line === "# Unhandled error between tests") lines = [];
    else if (lines && /^-+$/.test(line)) {
      if (lines.length === 0) continue;
      failures.push({ test: `${file}: (between tests)`, lines });
      lines = undefined;
    } else lines?.push(line);
  }
  return failures;
}
