// Homie 3 and 4: a device describes itself in many retained topics, `$nodes`, `NODE/$properties`, `NODE/PROPERTY/$datatype`, …

import type { Hardware } from "../../described.ts";
import { hardwareOf, inNetwork } from "../../hardware.ts";
import { macIn } from "../../mac.ts";
import type { HomieDescription, HomieNode, HomieProperty } from "./description.ts";
import { DATATYPES, type Datatype, ID_RULE, isHomieId, MAX_PROPERTIES, quoted, shortText } from "./description.ts";

const MAX_ARRAY = 100;
/** What they measure is worth a value; the rest is how long the device runs. */
const STATS: ReadonlySet<string> = new Set(["battery", "signal", "supply", "cputemp", "cpuload", "freeheap"]);
/** It announces each property that has sent a value as not retained, once it connects again. */
const FORGETS_RETAINED = "nodejs:homie-device";

/** Undefined while it is not yet said what nodes there are. `said`: by the topic below that of the device. */
export function describedInTopics(said: ReadonlyMap<string, string>): HomieDescription | undefined {
  const [version, nodes] = [said.get("$homie"), said.get("$nodes")];
  if (version === undefined || nodes === undefined) return undefined;
  const problems: string[] = [];
  const major = Number.parseInt(version, 10);
  if (major !== 3 && major !== 4)
    return described({
      version: 4,
      problems: [`it speaks Homie ${version.slice(0, 20)}; the hub understands 3, 4 and 5`],
    });
  const found: HomieNode[] = [];
  let count = 0;
  for (const listed of new Set(listIn(nodes))) {
    for (const one of nodesOf(listed, { said, major, problems })) {
      count += one.properties.length;
      if (count > MAX_PROPERTIES) {
        return described({ version: major, problems: [`it announces more than ${MAX_PROPERTIES} properties`] });
      }
      found.push(one);
    }
  }
  return described({
    ...{ version: major, problems, nodes: found, name: shortText(said.get("$name")) },
    model: shortText(said.get("$fw/name")),
    hardware: hardwareIn(said),
    stats: [...STATS].filter((one) => said.has(`$stats/${one}`) || listIn(said.get("$stats") ?? "").includes(one)),
    isRetainedUnsure: said.get("$implementation") === FORGETS_RETAINED,
  });
}

function hardwareIn(said: ReadonlyMap<string, string>): Hardware {
  const [mac, version] = [macIn(said.get("$mac")), shortText(said.get("$fw/version"))];
  return mac === undefined ? hardwareOf({ sw_version: version ?? null }) : inNetwork({ mac, version });
}

export function described(
  given: Partial<HomieDescription> & Pick<HomieDescription, "version" | "problems">,
): HomieDescription {
  const none = { name: undefined, model: undefined, nodes: [], root: undefined, parent: undefined, stats: [] };
  return { ...none, hardware: {}, hasChildren: false, isRetainedUnsure: false, ...given };
}

interface Announced {
  said: ReadonlyMap<string, string>;
  major: 3 | 4;
  problems: string[];
}

/** One, or each of an array `lights[]`: `lights_0`, `lights_1`, … */
function nodesOf(listed: string, { said, major, problems }: Announced): HomieNode[] {
  const isArray = listed.endsWith("[]");
  const id = isArray ? listed.slice(0, -2) : listed;
  if (!isHomieId(id)) {
    problems.push(`its node ${quoted(id)} has no valid id: ${ID_RULE}`);
    return [];
  }
  const list = said.get(`${id}/$properties`);
  if (list === undefined) {
    problems.push(`its node ${quoted(id)} has no $properties`);
    return [];
  }
  const properties = propertiesOf(id, listIn(list), { said, major, problems });
  const [name, type] = [shortText(said.get(`${id}/$name`)), said.get(`${id}/$type`) ?? ""];
  if (!isArray) return [{ id, name, type, properties }];
  const [, first, last] = /^(\d{1,6})-(\d{1,6})$/.exec(said.get(`${id}/$array`) ?? "") ?? [];
  const length = Number(last) - Number(first) + 1;
  if (!(length >= 1 && length <= MAX_ARRAY)) {
    problems.push(`its node ${quoted(id)} is an array and needs $array as 0-3, of at most ${MAX_ARRAY}`);
    return [];
  }
  return Array.from({ length }, (_, at) => {
    const one = `${id}_${Number(first) + at}`;
    return { id: one, name: shortText(said.get(`${one}/$name`)) ?? name, type, properties };
  });
}

function propertiesOf(node: string, ids: readonly string[], { said, major, problems }: Announced): HomieProperty[] {
  return [...new Set(ids)].slice(0, MAX_PROPERTIES + 1).flatMap((id) => {
    const attribute = (name: string): string | undefined => said.get(`${node}/${id}/$${name}`);
    // The third version takes a text where nothing is said.
    const datatype = attribute("datatype") || (major === 3 ? "string" : undefined);
    const problem = !isHomieId(id)
      ? `no valid id: ${ID_RULE}`
      : datatype === undefined
        ? "no $datatype"
        : DATATYPES.has(datatype)
          ? undefined
          : `the datatype ${quoted(datatype)}, which is none`;
    if (problem !== undefined) {
      problems.push(`its property ${quoted(`${node}/${id}`)} has ${problem}`);
      return [];
    }
    return {
      ...{ id, name: shortText(attribute("name")), datatype: datatype as Datatype, format: attribute("format") ?? "" },
      ...{ unit: attribute("unit"), settable: attribute("settable") === "true" },
      retained: attribute("retained") !== "false",
    };
  });
}

const listIn = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
