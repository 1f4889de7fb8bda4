// Commands to several devices at once: one error for all that were refused.
import { HubError, messageOf } from "./errors.ts";

/** What the others gave. Throws one HubError that names every refusal; that of a single command as it is. */
export function throwRefusals<T>(results: readonly PromiseSettledResult<T>[]): T[] {
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  const [first] = reasons;
  if (first === undefined) return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (results.length === 1) throw first;
  const code = first instanceof HubError ? first.code : "upstream_failed";
  const texts = reasons.map(messageOf).join("; ");
  throw new HubError(code, `${reasons.length} of ${results.length} devices refused the command: ${texts}`, {
    cause: first,
  });
}
