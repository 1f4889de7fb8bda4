// hub standby: makes this machine the standby of a hub elsewhere, and asks or orders the one that runs here. The commands use its HTTP
// port, as all others do with a running hub: an answer says how it went, and nothing has to be written for it.
import { HubError } from "../../kit/schema/errors.ts";
import { type Command, homeOption, type Invocation } from "./command.ts";

const WORDS: Record<string, (invocation: Invocation) => Promise<number>> = {
  promote: async (invocation) => (await import("./standby/promote.ts")).promote(invocation),
  status: async (invocation) => (await import("./standby/status.ts")).status(invocation),
  leave: async (invocation) => (await import("./standby/leave.ts")).leave(invocation),
};

/** Which options belong to which word; the empty one begins. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  "": [
    "of",
    "manual",
    "replace",
    "replace-this-house",
    "address",
    "ca",
    "fingerprint",
    "user",
    "token-file",
    "pair-only",
  ],
  promote: ["force", "json", "url"],
  status: ["json", "url"],
  leave: ["json", "url"],
};

export const standby: Command = {
  options: {
    ...homeOption,
    of: { type: "string", value: "URL", doc: "make this machine the standby of the hub at this address" },
    manual: { type: "boolean", doc: "with --of: it never takes over by itself, only by `hub standby promote`" },
    replace: { type: "boolean", doc: "with --of: in place of another standby that the hub still hears" },
    "replace-this-house": {
      type: "boolean",
      doc: "with --of: also where this home holds a house; its state is kept in data/before-standby",
    },
    address: { type: "string", value: "URL", doc: "with --of: where the hub reaches this machine; default: found out" },
    ca: {
      type: "string",
      value: "FILE",
      completes: "file",
      doc: "with --of: the authority that signed the hub's certificate, if it is one of your own",
    },
    fingerprint: {
      type: "string",
      value: "SHA256",
      doc: "with --of: that of the hub's certificate, if nobody signed it",
    },
    user: { type: "string", value: "NAME", doc: "with --of: an administrator of the hub; default: admin" },
    "token-file": {
      type: "string",
      value: "FILE",
      completes: "file",
      doc: "with --of: a file with a token or API key of an administrator, instead of a password; or set HUB_TOKEN",
    },
    "pair-only": { type: "boolean", doc: "with --of: do not start here; the service, or `hub standby`, does" },
    force: { type: "boolean", doc: "with promote: although the hub does not answer, and what it did last is lost" },
    json: { type: "boolean", doc: "with a word: print JSON" },
    url: { type: "string", value: "ADDRESS", doc: "with a word: where this machine answers, if hub.toml does not say" },
  },
  maxPositionals: 1,
  async run(invocation) {
    const [word = ""] = invocation.positionals;
    const act = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    if (word !== "" && !act)
      throw new HubError("invalid", "say `hub standby --of URL`, or `hub standby promote`, `status` or `leave`");
    refuseOthers(word, invocation);
    if (act) return act(invocation);
    const { begin } = await import("./standby/begin.ts");
    return begin(invocation);
  },
};

function refuseOthers(word: string, { options }: Invocation): void {
  const known = ["home", ...(OPTIONS[word] ?? [])];
  const wrong = Object.keys(options).find((name) => options[name] !== undefined && !known.includes(name));
  if (wrong !== undefined)
    throw new HubError("invalid", `--${wrong} does not go with \`hub standby${word && ` ${word}`}\``);
  if (
    word === "" &&
    options.of === undefined &&
    Object.keys(options).some((name) => name !== "home" && options[name] !== undefined)
  )
    throw new HubError("invalid", "say which hub: `hub standby --of http://HOST:8080`");
}
