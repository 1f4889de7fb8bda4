// Emptying files where Landlock has no right for it, as on Debian 12 (Linux 6.1): the filter of system calls refuses it. On a newer
// kernel, of which no more is asked than that one has.
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { probeLandlock } from "../../../src/reach/plugins/confine/landlock.ts";
import { filtersSystemCalls } from "../../../src/reach/plugins/confine/means.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { ranOn, SECRET } from "./confine/confine-rig.ts";

const OLD = { landlock: () => ({ abi: 2, reason: "" }) };
const CANARY = "data/state.redb";

const TRIES = `#!/usr/bin/python3
import ctypes, json, os
libc = ctypes.CDLL(None, use_errno=True)
secret, readable = os.environ["HUB_HOME"] + "/${CANARY}", os.environ["READABLE"]
found = {}
def attempt(name, action):
    try: found[name] = str(action())
    except OSError as error: found[name] = os.strerror(error.errno)
def call(*arguments):
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    if libc.syscall(*words) < 0: raise OSError(ctypes.get_errno(), "")
def opened(path, flags):
    os.close(os.open(path, flags))
open("own", "w").write("mine")
attempt("by path", lambda: os.truncate(secret, 0))
attempt("to be written", lambda: opened(secret, os.O_WRONLY | os.O_TRUNC))
attempt("to be read", lambda: opened(secret, os.O_RDONLY | os.O_TRUNC))
attempt("for neither", lambda: opened(secret, os.O_ACCMODE | os.O_TRUNC))
attempt("what it may read", lambda: opened(readable, os.O_RDONLY | os.O_TRUNC))
attempt("by the newer call", lambda: call(437, -100, secret.encode(), (0o1003).to_bytes(8, "little") + bytes(16), 24))
attempt("own, by its descriptor", lambda: os.truncate(os.open("own", os.O_RDWR), 3))
attempt("own, read", lambda: open("own").read())
attempt("own, to be written", lambda: open("own", "w").close())
attempt("own, appended", lambda: open("own", "a").write("more"))
json.dump(found, open("found.json", "w")); open("done", "w")
`;

describe.if(probeLandlock().abi > 0 && filtersSystemCalls())("Landlock before version 3", () => {
  test("a plugin cannot empty what it cannot write, and empties its own", async () => {
    using outside = createTemporaryFolder();
    const readable = outside.at("readable");
    writeFileSync(readable, SECRET);
    await using run = await ranOn(TRIES, { read: [readable], env: { READABLE: readable } }, OLD);
    const denied = "Permission denied";
    expect(JSON.parse(run.text("found.json") ?? JSON.stringify(run.rig.plugins.get("p").last_exit))).toEqual({
      ...{ "by path": denied, "to be written": denied, "to be read": denied, "for neither": denied },
      "what it may read": denied,
      "by the newer call": "Function not implemented",
      ...{ "own, by its descriptor": "None", "own, read": "min", "own, to be written": "None", "own, appended": "4" },
    });
    const left = [run.rig.home.resolve(CANARY), readable].map((path) => readFileSync(path, "utf8"));
    expect(left).toEqual([SECRET, SECRET]);
    expect(run.rig.plugins.get("p")).toMatchObject({
      held_by: "landlock",
      confined_detail: "Landlock 2",
    });
  });

  test("where system calls are not filtered either, the record says that it may", async () => {
    const script = "#!/bin/sh\ntouch done; exec sleep 60\n";
    await using run = await ranOn(script, {}, { ...OLD, filtersCalls: () => false });
    expect(run.rig.plugins.get("p").confined_detail).toBe(
      "Landlock 2: this kernel cannot refuse emptying files (Linux 6.2) and signals to processes of the same user (Linux 6.12; system calls cannot be filtered here)",
    );
  });
});
