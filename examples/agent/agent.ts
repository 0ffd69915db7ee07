// A scripted agent that uses the same tools as a model. It requests access, waits for the approval and reads data.
// The company then revokes the access, so the agent's next read is refused.
// KEY=svc_sk_test_… node agent.ts [COMPANY]
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const { KEY, PORTFOLIO_ACCESS_URL } = process.env;
if (!KEY) {
  console.error('KEY must be set to the API key of an investor');
  process.exit(1);
}
// The default is a sandbox company that approves within two seconds and revokes the access five seconds later.
const [companyId = 'co_test_revokes'] = process.argv.slice(2);

interface Answer {
  readonly accessRequest: { readonly id: string; readonly status: string };
  readonly isDecided: boolean;
  readonly metric: { readonly label: string; readonly value: string; readonly period: string };
  readonly error?: { readonly code: string; readonly nextStep: string };
}

/** The default of one minute is too short: if the rate limit is used up, the call may wait for a minute. */
const patience = { timeout: 300_000 };

/** If the key's rate limit is used up, waits as long as the service demands and sends the request again. */
const patientFetch: typeof fetch = async (input, init) => {
  for (;;) {
    const response = await fetch(input, init);
    if (response.status !== 429) return response;
    await response.body?.cancel();
    const seconds = Number(response.headers.get('retry-after')) || 5;
    console.log(`the budget is used up: waiting ${seconds} s`);
    await pause(seconds * 1_000);
  }
};

/** Uses the same configuration file as an MCP host. */
async function connect(): Promise<Client> {
  const text = await readFile(new URL('mcp.json', import.meta.url), 'utf8');
  const { mcpServers } = JSON.parse(text.replace(/\$\{KEY\}/, KEY ?? ''));
  const { url, headers } = mcpServers['portfolio-access'];
  const address = new URL(PORTFOLIO_ACCESS_URL ? `${PORTFOLIO_ACCESS_URL}/mcp` : url);
  const client = new Client({ name: 'consent-agent', version: '1.0.0' });
  const options = { requestInit: { headers }, fetch: patientFetch };
  await client.connect(new StreamableHTTPClientTransport(address, options), patience);
  return client;
}

/** An error is also a result, and it names the next step. */
async function use(client: Client, name: string, input: object): Promise<Answer> {
  const { content } = await client.callTool({ name, arguments: { ...input } }, patience);
  const [first] = content;
  if (first?.type !== 'text') throw new Error(`${name} has answered without a text`);
  const answer: Answer = JSON.parse(first.text);
  if (answer.error) console.log(`${name} is refused: ${answer.error.code}`);
  return answer;
}

const client = await connect();
const { tools } = await client.listTools(undefined, patience);
console.log(`${tools.length} tools are offered to this key`);

const read = () => use(client, 'read_metric', { companyId, key: 'cash_balance' });
let { error, metric } = await read();
if (error) {
  console.log(`next step: ${error.nextStep}`);
  const wish = { companyId, scopes: ['metrics:read'], purpose: 'Quarterly review' };
  let answer = await use(client, 'request_access', wish);
  if (answer.error) process.exit(1);
  const { id } = answer.accessRequest;
  console.log(`asked: ${id}`);
  // Each call waits as long as hosts and proxies allow, so the agent may need several calls.
  do answer = await use(client, 'wait_for_decision', { id });
  while (answer.isDecided === false);
  console.log(`the company has answered: ${answer.accessRequest.status}`);
  ({ error, metric } = await read());
}
if (!error) console.log(`${metric.label}: ${metric.value}, ${metric.period}`);

// The company can revoke the grant at any time.
while (!error) {
  await pause(1_000);
  ({ error } = await read());
}
await client.close();
