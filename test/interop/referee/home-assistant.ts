// Home Assistant's MQTT integration as a process beside the hub, at the hub's broker.
import { join } from "node:path";
import { MQTT_ACCOUNT } from "../../support/hub-process.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { soon } from "../../support/wait.ts";
import type { House } from "../corpus/house.ts";

export interface EntityState {
  state: string;
  attributes: Record<string, unknown>;
}

export interface ServiceCall {
  component: string;
  uniqueId: string;
  service: string;
  data: Record<string, unknown>;
}

export interface HomeAssistant extends AsyncDisposable {
  /** Resolves when it has dealt with everything that was said until now. */
  settle(): Promise<void>;
  /** By component and unique id, with a space between them. */
  dump(): Promise<Map<string, EntityState>>;
  /** What it refuses; undefined where it published. */
  call(wanted: ServiceCall): Promise<string | undefined>;
}

const MAX_LINE = 300;
const MAX_LOG = 6000;

interface Answer {
  answer?: unknown;
  problem?: string;
}

/** `python`: of an environment where it is installed. */
export async function startHomeAssistant(python: string, house: House): Promise<HomeAssistant> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(createTemporaryFolder());
  const { username, password } = MQTT_ACCOUNT;
  const script = join(import.meta.dir, "home-assistant.py");
  const args = [python, script, folder.path, String(house.hub.mqttPort), username, password];
  const child = Bun.spawn(args, { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const log = { last: "" };
  void readLines(child.stderr, (line) => {
    log.last = `${log.last}\n${line.slice(0, MAX_LINE)}`.slice(-MAX_LOG);
  });
  stack.defer(async () => {
    child.kill("SIGKILL");
    await child.exited;
  });
  const waiting: PromiseWithResolvers<Answer>[] = [Promise.withResolvers<Answer>()];
  const lines = readLines(child.stdout, (line) => waiting.shift()?.resolve(JSON.parse(line) as Answer));
  void lines.then(() => {
    for (const one of waiting.splice(0)) one.resolve({ problem: `Home Assistant ended: ${log.last}` });
  });
  const ask = async (question: object): Promise<Answer> => {
    const reply = Promise.withResolvers<Answer>();
    waiting.push(reply);
    child.stdin.write(`${JSON.stringify(question)}\n`);
    await child.stdin.flush();
    return soon(`Home Assistant answers ${JSON.stringify(question).slice(0, 200)}`, reply.promise, 120_000);
  };
  const ready = await soon("Home Assistant starts", (waiting[0] as PromiseWithResolvers<Answer>).promise, 120_000);
  if (ready.problem !== undefined) throw new Error(ready.problem);
  let marks = 0;
  const parts = stack.move();
  return {
    async settle() {
      const [topic, payload] = ["zigbee2mqtt/referee/mark", String(++marks)];
      await house.say(topic, payload);
      answerOf(await ask({ do: "settle", topic, payload }));
    },
    async dump() {
      return new Map(Object.entries(answerOf(await ask({ do: "dump" })) as Record<string, EntityState>));
    },
    async call({ component, uniqueId, service, data }) {
      return (await ask({ do: "call", component, unique_id: uniqueId, service, data })).problem;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function answerOf({ answer, problem }: Answer): unknown {
  if (problem !== undefined) throw new Error(problem);
  return answer;
}

async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  }
}
