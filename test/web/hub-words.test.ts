// What the hub says in English, in the words of another language: what it refuses, and what it asks people to do.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import "./browser.ts";
import { fromHub, loadLater, refusal, setLanguage, textFor } from "../../src/page/texts/index.ts";
import { ACCOUNT_KINDS } from "../../src/reach/mqtt/accounts/account-kinds.ts";

// Its types come from all over the hub, of which the page's project knows nothing.
const { configFormSchema } = (await import(join(import.meta.dir, "../../src/app/config/form-schema.ts"))) as {
  configFormSchema: () => Schema;
};

const connection = {
  ...{ name: "tv", password: "secret", host: "10.0.0.2", port: 1883 },
  prefix: "homecore",
};

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** What the schema says of each key that has no hint on the page, by its path. */
function describedIn({ properties = {}, items, anyOf = [] }: Schema, at = ""): [path: string, description: string][] {
  const inside = Object.entries(properties).flatMap(([key, property]): [string, string][] => {
    const path = at === "" ? key : `${at}.${key}`;
    const { description } = property;
    const isOwn = description !== undefined && textFor(`hint.${path}`) === undefined;
    return [...(isOwn ? [[path, description] as [string, string]] : []), ...describedIn(property, path)];
  });
  return [...inside, ...[...(items ? [items] : []), ...anyOf].flatMap((one) => describedIn(one, at))];
}

describe("in German", () => {
  beforeAll(async () => {
    await setLanguage("de");
    await loadLater();
  });
  afterAll(() => setLanguage("en"));

  test("a refusal that is known is said in German", () => {
    expect(refusal("unauthenticated", "wrong username or password")).toBe("Benutzername oder Passwort ist falsch.");
    expect(refusal("conflict", 'the username "Anna" is taken')).toBe(
      "Den Benutzernamen „Anna“ gibt es schon. Nimm einen anderen.",
    );
  });

  test("any other follows what it is about", () => {
    expect(refusal("conflict", "it is {1} odd")).toBe("Das geht gerade nicht. (it is {1} odd)");
    expect(refusal("no_such_code", "odd")).toBe("odd");
  });

  test("names in a sentence stay what they are", () => {
    expect(fromHub('there is no device "{2} $& <b>"')).toBe("Ein Gerät „{2} $& <b>“ gibt es nicht.");
  });

  test("every key of hub.toml is described", () => {
    const described = describedIn(configFormSchema());
    expect(described.length).toBeGreaterThan(150);
    expect(described.filter(([, text]) => fromHub(text) === text && !/^Of InfluxDB/.test(text))).toEqual([]);
  });

  test.each(Object.entries(ACCOUNT_KINDS))("what is to be done for an account of the kind %s", (_, { where }) => {
    for (const base of [undefined, "kitchen"]) {
      const asked = where({ ...connection, base });
      expect(fromHub(asked)).not.toBe(asked);
    }
  });
});

test("in English the hub's own words stay", () => {
  expect(refusal("conflict", "the timer is gone")).toBe("the timer is gone");
  expect(fromHub("wrong username or password")).toBe("wrong username or password");
});
