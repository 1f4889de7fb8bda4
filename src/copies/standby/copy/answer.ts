// Reads an answer to a sync request: decompressed, whole, and sorted by what is to be done with its records.
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { parseJson } from "../../../kit/schema/json.ts";
import {
  type BeginHead,
  checked,
  decodeRecords,
  type EndHead,
  type FileHead,
  HistoryAnswer,
  type JournalHead,
  type PagesHead,
} from "../protocol.ts";

export interface SyncAnswer {
  begin: BeginHead;
  journals: { head: JournalHead; content: Uint8Array }[];
  /** Segments that stay as they are. */
  kept: string[];
  pages: { head: PagesHead; content: Uint8Array } | undefined;
  files: { head: FileHead; content: Uint8Array }[];
  gone: string[];
  asked: ReadonlySet<"pages" | "list">;
  end: EndHead;
}

// A state database of a very large house, and what else fits into one answer.
const MAX_BYTES = 1_073_741_824;
const ZSTD = 0xfd2fb528;
const GZIP = 0x8b1f;

/** Throws HubError `invalid` where it is cut, or is none. */
export function readAnswer(bytes: Uint8Array): SyncAnswer {
  let begin: BeginHead | undefined;
  let end: EndHead | undefined;
  const asked = new Set<"pages" | "list">();
  const answer: Omit<SyncAnswer, "begin" | "end"> = {
    ...{ journals: [], kept: [], pages: undefined, files: [], gone: [], asked },
  };
  for (const { head, content } of decodeRecords(decompress(bytes))) {
    if (end) throw notWhole("something follows its end");
    switch (head.kind) {
      case "begin":
        begin = head;
        break;
      case "journal":
        answer.journals.push({ head, content });
        break;
      case "keep":
        answer.kept.push(...head.paths);
        break;
      case "pages":
        answer.pages = { head, content };
        break;
      case "file":
        answer.files.push({ head, content });
        break;
      case "gone":
        answer.gone.push(head.path);
        break;
      case "ask":
        for (const what of head.what) asked.add(what);
        break;
      case "end":
        end = head;
      // Records of a newer hub are left alone.
    }
  }
  if (!begin || !end) throw notWhole("its beginning or its end is missing");
  return { ...answer, begin, end };
}

/** Throws HubError `invalid`. */
export function readHistoryAnswer(bytes: Uint8Array): HistoryAnswer {
  const parsed = parseJson(new TextDecoder().decode(decompress(bytes)));
  return checked(
    HistoryAnswer,
    parsed.ok ? parsed.value : undefined,
    "the answer of the other hub is not whole: it is no page of the history",
  );
}

/** As it is where it is not compressed. */
function decompress(bytes: Uint8Array): Uint8Array {
  const magic = bytes.length < 4 ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  try {
    if (magic === ZSTD) return zstdDecompressSync(bytes, { maxOutputLength: MAX_BYTES });
    if ((magic & 0xffff) === GZIP) return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
    return bytes;
  } catch (error) {
    throw notWhole(messageOf(error));
  }
}

function notWhole(why: string): HubError {
  return new HubError("invalid", `the answer of the other hub is not whole: ${why}`);
}
