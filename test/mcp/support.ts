import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Json } from '../support/http-client.ts';

/** What the tests ask of a client, of whichever generation. */
export interface Agent {
  readonly instructions: string | undefined;
  listTools(): Promise<Json[]>;
  /** The SDK holds the answer to the schema that the tool announces. */
  callTool(name: string, input?: Json): Promise<Json>;
  close(): Promise<void>;
}

const info = { name: 'agent', version: '1.0.0' };

type Connect = (url: string, key: string) => Promise<Agent>;

/** The SDK’s own clients: of the revision of July 2026, and of the ones before it, which most agents speak. */
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
    callTool: (name, input = {}) => client.callTool({ name, arguments: input }),
    close: () => client.close(),
  };
}
