// Commands to several devices at once: one error for all that were refused.
import { HubError, messageOf } from "./errors.ts";

/** Throws one HubError that names every refusal; that of a single command as it is. */
export function throwRefusals(results: readonly PromiseSettledResult<unknown>[]): void {
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  const [first] = reasons;
  if (first === undefined) return;
  if (results.length === 1) throw first;
  const code = first instanceof HubError ? first.code : "upstream_failed";
  const texts = reasons.map(messageOf).join("; ");
  throw new HubError(code, `${reasons.length} of ${results.length} devices refused the command: ${texts}`, {
    cause: first,
  });
}
