// The counting behind the scripts in TypeScript, as checks.sh is behind those of the shell: each check is a line, and the last line
// says how many there were.

let passed = 0;
let failed = 0;

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Passes where `work` does not throw; what it throws is shown. Never throws itself. */
export async function check(name: string, work: () => Promise<unknown> | unknown): Promise<void> {
  try {
    await work();
    passed++;
    print(`ok   ${name}`);
  } catch (error) {
    failed++;
    print(`FAIL ${name}\n     ${String(error).slice(0, 1500)}`);
  }
}

/** Passes where the two are alike. */
export function compare(name: string, found: unknown, expected: unknown): void {
  const isRight = Bun.deepEquals(found, expected);
  const wrong = `${JSON.stringify(found)?.slice(0, 500)}, not ${JSON.stringify(expected)?.slice(0, 500)}`;
  if (isRight) passed++;
  else failed++;
  print(isRight ? `ok   ${name}` : `FAIL ${name}: ${wrong}`);
}

/** What ended the script before it had checked everything. */
export function broke(error: unknown): void {
  failed++;
  print(`FAIL ${error instanceof Error ? error.stack : error}`);
}

export function hasFailed(): boolean {
  return failed > 0;
}

/** The last line; the exit status of the script. */
export function printTotals(): number {
  print(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
