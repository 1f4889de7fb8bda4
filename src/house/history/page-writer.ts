// Writes the text of a page: JSON items, or CSV lines.

export interface PageWriter {
  /** Characters so far. */
  readonly length: number;
  /** `json` is the value's JSON; `count` only in pages that have one. */
  add(at: number, attribute: string, json: string, count?: number): void;
  end(): string;
}

export function createPageWriter(format: "json" | "csv", counted: boolean): PageWriter {
  return format === "json" ? jsonWriter() : csvWriter(counted);
}

function jsonWriter(): PageWriter {
  const items: string[] = [];
  const names = new Map<string, string>();
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(at, attribute, json, count) {
      const name = names.get(attribute) ?? JSON.stringify(attribute);
      names.set(attribute, name);
      const tail = count === undefined ? "" : `,"count":${count}`;
      const item = `{"timestamp":"${new Date(at).toISOString()}","attribute":${name},"value":${json}${tail}}`;
      items.push(item);
      length += item.length;
    },
    end: () => `[${items.join(",")}]`,
  };
}

// RFC 4180: lines end with CR LF, and fields with a comma, quote or line break are quoted.
function csvWriter(counted: boolean): PageWriter {
  const lines = [`timestamp,attribute,value${counted ? ",count" : ""}`];
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(at, attribute, json, count) {
      const tail = counted ? `,${count ?? ""}` : "";
      const line = `${new Date(at).toISOString()},${csvText(attribute)},${csvValue(json)}${tail}`;
      lines.push(line);
      length += line.length;
    },
    end: () => `${lines.join("\r\n")}\r\n`,
  };
}

/** null is an empty field, an empty text `""`; lists and objects are their JSON. */
function csvValue(json: string): string {
  if (json === "null") return "";
  return json.startsWith('"') ? csvText(JSON.parse(json) as string) : csvField(json);
}

// A spreadsheet runs text that begins like this as a formula; an apostrophe prevents it. Numbers do not need one.
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

function csvText(text: string): string {
  return csvField(FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);
}

function csvField(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
