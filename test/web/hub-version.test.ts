// When the page takes the hub for exchanged.
import "./browser.ts";
import { expect, spyOn, test } from "bun:test";
import { type HubVersions, versionChanged } from "../../src/page/state/admin/hub-version.ts";

test("going back within the second of the upgrade is noticed", async () => {
  const at = "2026-11-23T17:03:00Z";
  const last = { at, from: "1.0.0", to: "2.0.0", ok: true, error: null };
  const before: HubVersions = { version: "2.0.0", previous: "1.0.0", refused: null, snapshot: null, last };
  const after: HubVersions = { ...before, version: "1.0.0", last: { ...last, from: "2.0.0", to: "1.0.0" } };
  const answers = [before, { ...after, last: { ...after.last, ok: null } }, after];
  using _ = spyOn(globalThis, "fetch").mockImplementation((async () =>
    Response.json(answers.length > 1 ? answers.shift() : answers[0])) as unknown as typeof fetch);
  expect(await versionChanged(before)).toEqual(after);
});
