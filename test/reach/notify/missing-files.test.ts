// Files that channels name: which are reported.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { checkValue } from "../../../src/kit/schema/schema.ts";
import { NotifySection } from "../../../src/reach/notify/config.ts";
import { missingFiles } from "../../../src/reach/notify/missing-files.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const smtp = { host: "mail.example.org", port: 465, username: "", password: "", tls: true };
const mail = (name: string, more: object) => ({
  name,
  type: "email",
  from: "hub@example.org",
  to: ["ann@example.org"],
  smtp: { ...smtp, ...more },
});

test("a file that does not exist is a warning at its key; channels without a file, and broken ones, have none", () => {
  using folder = createTemporaryFolder();
  writeFileSync(folder.at("ca.pem"), "");
  const channels = [
    mail("plain", {}),
    mail("there", { tls_ca: "ca.pem" }),
    mail("missing", { tls_ca: "other.pem" }),
    { name: "broken", type: "email", smtp: { tls_ca: "other.pem" } },
    { name: "unknown", type: "pigeon" },
  ];
  const section = checkValue(NotifySection, { channels });
  if (!section.ok) throw new Error("not valid");
  expect(missingFiles(section.value, (path) => folder.at(path))).toEqual([
    { path: "notify.channels[2].smtp.tls_ca", message: "other.pem does not exist", warning: true },
  ]);
});
