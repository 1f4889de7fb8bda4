// The corpus: what Zigbee2MQTT says of one model in a line, packed by xz.

export interface Published {
  topic: string;
  payload: Record<string, unknown>;
  retain?: boolean;
}

export interface Exposed {
  type: string;
  name?: string;
  property?: string;
  endpoint?: string;
  access?: number;
  unit?: string;
  value_on?: unknown;
  value_off?: unknown;
  features?: Exposed[];
}

export interface Model {
  model: string;
  ieee: string;
  name: string;
  discovery: Published[];
  /** Its element of `bridge/devices`. */
  bridgeDevice: { definition: { exposes: Exposed[]; description?: string } } & Record<string, unknown>;
  states: Published[];
  commands: { property: string; values: unknown[] }[];
}

/** Lines of a `.jsonl.xz`, as text. Throws where `xz` cannot read it. */
export async function linesOf(path: string): Promise<string[]> {
  const child = Bun.spawn(["xz", "--decompress", "--stdout", path], { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`xz cannot read ${path}`);
  return text.split("\n").filter((line) => line !== "");
}

export async function modelsOf(path: string): Promise<Model[]> {
  const all = (await linesOf(path)).map((line) => JSON.parse(line) as Partial<Model>);
  // One line is the bridge itself.
  return all.filter((one): one is Model => one.bridgeDevice !== undefined);
}

const MAX_BATCH_BYTES = 400_000;

/** Models that a bridge announces in one message, of bounded size. */
export function batchesOf(models: readonly Model[]): Model[][] {
  const batches: Model[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const model of models) {
    const size = JSON.stringify(model.bridgeDevice).length;
    if (bytes + size > MAX_BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    bytes += size;
    batches.at(-1)?.push(model);
  }
  return batches;
}
