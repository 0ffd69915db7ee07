import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect } from 'vitest';
import type { Json } from '../support/http-client.ts';

interface ToolAnswer {
  readonly isError: boolean;
  readonly data: Json;
  /** The text that the language model gets. */
  readonly text: string;
}

/** Works with MCP clients of any revision. */
export interface Agent {
  readonly instructions: string | undefined;
  listTools(): Promise<Json[]>;
  callTool(name: string, input?: Json): Promise<ToolAnswer>;
  close(): Promise<void>;
}

const info = { name: 'agent', version: '1.0.0' };

type Connect = (url: string, key: string) => Promise<Agent>;

/** The SDK's own clients: for the revision of July 2026, and for earlier revisions, which most agents use. */
export const agents: Readonly<Record<string, Connect>> = {
  async '2026-07-28'(url, key) {
    const client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), withKey(key)));
    return toAgent(client);
  },
  async '2025-11-25'(url, key) {
    const client = new EarlierClient(info);
    const transport = new EarlierTransport(new URL('/mcp', url), withKey(key));
    await client.connect(transport as Transport);
    return toAgent(client);
  },
};

const withKey = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

function toAgent(
  client: Pick<Client | EarlierClient, 'listTools' | 'callTool' | 'getInstructions' | 'close'>,
): Agent {
  return {
    instructions: client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    async callTool(name, input = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: input });
      return readAnswer({ content, isError });
    },
    close: () => client.close(),
  };
}

export function readAnswer({ content, isError = false }: Json): ToolAnswer {
  expect(content).toEqual([{ type: 'text', text: expect.any(String) }]);
  const [{ text }] = content;
  return { isError, data: JSON.parse(text), text };
}

export function inHaste({ inputSchema, ...tool }: Json): Json {
  const { timeoutSeconds } = inputSchema.properties;
  if (timeoutSeconds === undefined) return { inputSchema, ...tool };
  const properties = {
    ...inputSchema.properties,
    timeoutSeconds: { ...timeoutSeconds, maximum: 1 },
  };
  const required = [...inputSchema.required, 'timeoutSeconds'];
  return { ...tool, inputSchema: { ...inputSchema, properties, required } };
}
