// What holds for each command: its options say what they are for, what prints does so as JSON too, and its manual page has all of it.
import { expect, test } from "bun:test";
import { commands } from "../../../src/app/cli/index.ts";
import { manPages } from "../../../src/app/cli/man.ts";

/** What these print is for other programs as it is: a log, a shell's script, roff. */
const NO_JSON = ["serve", "completion", "man"];

test("whatever prints can print JSON", async () => {
  const without: string[] = [];
  for (const { name, load } of commands) if (!("json" in (await load()).options)) without.push(name);
  expect(without).toEqual(NO_JSON);
});

test("words and what completes them belong together", async () => {
  for (const { name, args = "", load } of commands) {
    const [first = ""] = args.split(" ");
    const words = /^[a-z-]+(\|[a-z-]+)*$/.test(first) ? first.split("|") : [""];
    const { completes = {}, maxPositionals = 0 } = await load();
    expect({ name, unknown: Object.keys(completes).filter((word) => !words.includes(word)) }).toEqual({
      name,
      unknown: [],
    });
    expect({ name, takes: maxPositionals > 0 }).toEqual({ name, takes: args !== "" });
  }
});

test("there is a manual page for the program and for each command, with all its options", async () => {
  const pages = await manPages(commands, "house");
  expect([...pages.keys()]).toEqual(["house", ...commands.map(({ name }) => `house-${name}`)]);
  for (const { name, load } of commands) {
    const page = pages.get(`house-${name}`) ?? "";
    for (const option of Object.keys((await load()).options))
      expect(page).toContain(`\\fB${`--${option}`.replaceAll("-", "\\-")}\\fR`);
    expect(page).toContain(".SH EXIT STATUS\n");
    // A line that begins with a dot is a request, and there are no others than these.
    expect(page.match(/^\.\w+/gm)?.filter((request) => ![".TH", ".SH", ".TP", ".B", ".BR"].includes(request))).toEqual(
      [],
    );
  }
  expect(pages.get("house")).toContain("\\fBdevice\\fR \\fIget|set DEVICE [ATTRIBUTE=VALUE]\\fR");
});
