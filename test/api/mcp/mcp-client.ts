// The official clients of both generations, for tests.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

export interface ToolAnswer {
  isError?: boolean | undefined;
  content?: unknown;
}

export interface McpClient extends AsyncDisposable {
  tools(): Promise<string[]>;
  call(name: string, given?: Record<string, unknown>): Promise<ToolAnswer>;
  /** What the tool answered; throws where it failed. */
  ask<T = Record<string, unknown>>(name: string, given?: Record<string, unknown>): Promise<T>;
  /** The text of its failure. */
  fail(name: string, given?: Record<string, unknown>): Promise<string>;
}

/** Of the newest generation unless it is said otherwise. */
export function openMcpClient(url: URL, key: string, generation: 1 | 2 = 2): Promise<McpClient> {
  return generation === 1 ? openV1(url, key) : openV2(url, key);
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<ToolAnswer>;
  close(): Promise<void>;
}

async function openV1(url: URL, key: string): Promise<McpClient> {
  const client = new ClientV1({ name: "test", version: "1" });
  const transport = new TransportV1(url, { requestInit: { headers: { authorization: `Bearer ${key}` } } });
  await client.connect(transport as Transport);
  return wrapped(client as AnyClient);
}

async function openV2(url: URL, key: string): Promise<McpClient> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return wrapped(client as AnyClient);
}

function wrapped(client: AnyClient): McpClient {
  const call = (name: string, given: Record<string, unknown> = {}) => client.callTool({ name, arguments: given });
  const textOf = ({ content }: ToolAnswer): string => (content as { text: string }[])[0]?.text ?? "";
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name).sort(),
    call,
    async ask<T>(name: string, given?: Record<string, unknown>) {
      const answer = await call(name, given);
      if (answer.isError) throw new Error(`${name}: ${textOf(answer)}`);
      return JSON.parse(textOf(answer)) as T;
    },
    async fail(name, given) {
      const answer = await call(name, given);
      if (!answer.isError) throw new Error(`${name} went well: ${textOf(answer)}`);
      return textOf(answer);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
