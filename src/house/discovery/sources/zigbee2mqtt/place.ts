// Where devices and groups are: behind a bridge, each under a topic of its name.
import type { Json } from "../../../../kit/schema/json.ts";

export interface Place {
  /** The bridge's topic. */
  base: string;
  /** The identity of the bridge. */
  parent: string;
  /** Notified whenever one says whether it can be reached; what it returns is whether it really can. */
  reachable(identity: string, online: boolean): boolean;
}

export function isTopicName(name: Json | undefined): name is string {
  return typeof name === "string" && name !== "" && name.length <= 255 && !/[+#\p{Cc}]/u.test(name);
}
