import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callOf } from '../parity/drivers/mcp.ts';
import { closedAfterAll } from '../support/closed.ts';
import { openStream } from '../support/event-stream.ts';
import { publicUrl, startService } from '../support/service.ts';
import { agents, readAnswer } from './support.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));

async function agentOf(key: string) {
  const agent = await (agents['2026-07-28'] as NonNullable<(typeof agents)[string]>)(
    service.url,
    key,
  );
  onTestFinished(() => agent.close());
  return agent;
}

/** The host has the newest MCP revision. Its user answers every question with `action`. */
async function hostOf(key: string, action: 'accept' | 'decline') {
  const asked: string[] = [];
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return { action, ...(action === 'accept' && { content: {} }) };
  });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', service.url), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return { client, asked };
}

describe('the tool list_companies', () => {
  it('returns pages, and can search by name', async () => {
    const { fixtures } = service;
    const { key, investor } = await fixtures.portfolio();
    for (const name of ['Zinc', 'Zebra']) await fixtures.companyOf(investor, name);
    const agent = await agentOf(key);
    const { data: first } = await agent.callTool('list_companies', { limit: 2 });
    expect([first.companies.length, first.hasMore]).toEqual([2, true]);
    const next = { limit: 2, cursor: first.nextCursor };
    const { data: second } = await agent.callTool('list_companies', next);
    expect([second.companies.length, second.hasMore, second.nextCursor]).toEqual([1, false, null]);
    const { data: found } = await agent.callTool('list_companies', { search: 'zeb' });
    expect(found.companies.map(({ name }: { name: string }) => name)).toEqual(['Zebra']);
    for (const [name, value] of [
      ['limit', 201],
      ['cursor', 'x'],
    ] as const) {
      const { data } = await agent.callTool('list_companies', { [name]: value });
      expect(data.error).toMatchObject({ code: 'invalid_parameter', param: name });
    }
  });
});

describe('the prompts', () => {
  it('are review_my_portfolio and ask_for_access', async () => {
    const { key } = await service.fixtures.portfolio();
    const { client } = await hostOf(key, 'accept');
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['review_my_portfolio', 'ask_for_access']);
    const { messages } = await client.getPrompt({
      name: 'ask_for_access',
      arguments: { company: 'Harbor' },
    });
    expect(messages).toEqual([
      {
        role: 'user',
        content: {
          type: 'text',
          text: expect.stringContaining('Request access to the data of Harbor'),
        },
      },
    ]);
    await expect(client.getPrompt({ name: 'ask_for_access' })).rejects.toThrow(/required argument/);
    await expect(client.getPrompt({ name: 'other' })).rejects.toThrow(/prompt doesn’t exist/);
  });
});

describe('the tool request_access in a host that can ask its user', () => {
  const input = (companyId: string) => ({
    companyId,
    scopes: ['metrics:read'],
    purpose: 'A look.',
  });

  it('sends the access request after the user agrees', async () => {
    const { key, company } = await service.fixtures.portfolio();
    const { client, asked } = await hostOf(key, 'accept');
    const call = { name: 'request_access', arguments: input(company.id) };
    const { data } = readAnswer(await client.callTool(call));
    expect(data).toMatchObject({ outcome: 'created', accessRequest: { status: 'pending' } });
    expect(asked).toEqual([`Request access to metrics:read of ${company.id}? Purpose: A look.`]);
  });

  it('shows the user the terms of the request', async () => {
    const { key, company } = await service.fixtures.portfolio();
    const { client, asked } = await hostOf(key, 'decline');
    const terms = { metricKeys: ['arr', 'mrr'], historyFrom: '2026-01-01', use: 'once' };
    await client.callTool({
      name: 'request_access',
      arguments: { ...input(company.id), terms },
    });
    expect(asked).toEqual([
      `Request access to metrics:read of ${company.id} (only arr, mrr, from 2026-01-01, for one use)? Purpose: A look.`,
    ]);
  });

  it('sends no access request if the user declines, and asks nothing if the input is invalid', async () => {
    const { key, company } = await service.fixtures.portfolio();
    const { client, asked } = await hostOf(key, 'decline');
    const call = { name: 'request_access', arguments: input(company.id) };
    const { data } = readAnswer(await client.callTool(call));
    expect(data).toEqual({ outcome: 'declined', replayed: false, accessRequest: null });
    const { operator } = service;
    expect(await operator.listCompanyAccessRequests({ companyId: company.id })).toEqual([]);
    const wrong = { name: 'request_access', arguments: { ...input(company.id), scopes: [] } };
    const refused = readAnswer(await client.callTool(wrong));
    expect(refused.data.error.code).toBe('missing_scopes');
    expect(asked).toHaveLength(1);
  });
});

it('wait_for_decision reports progress if the host requests it', async () => {
  const { fixtures, operator, url } = service;
  const { key, company } = await fixtures.portfolio();
  const { id } = await fixtures.request(key, company.id);
  const call = callOf('wait_for_decision', { id });
  const body = { ...call, params: { ...call.params, _meta: { progressToken: 'p1' } } };
  const stream = await openStream(`${url}/mcp`, { method: 'POST', key, body });
  const { data } = await stream.find(({ event }) => event === 'message');
  expect(JSON.parse(data)).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 'p1', progress: 0, total: 50, message: expect.any(String) },
  });
  await operator.declineAccessRequest({ id });
  const answer = await stream.find(({ data: text }) => text.includes('"result"'));
  const told = readAnswer(JSON.parse(answer.data).result);
  expect(told.data.isDecided).toBe(true);
});

it('a service on a loopback address accepts its own origin under each name of the address', async () => {
  const local = await startService({
    storage: { memory: true },
    isReachedDirectly: true,
  });
  const { port } = new URL(local.url);
  onTestFinished(() => local.close());
  const statusOf = async (served: typeof service, origin: string) => {
    const { key } = await served.fixtures.portfolio();
    const response = await fetch(`${served.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', origin },
      body: JSON.stringify(callOf('list_companies')),
    });
    await response.body?.cancel();
    return response.status;
  };
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    expect(await statusOf(local, `http://${name}:${port}`)).toBe(200);
    expect(await statusOf(local, `http://${name}:1`)).toBe(403);
    expect(await statusOf(service, `http://${name}:${port}`)).toBe(403);
  }
  expect(await statusOf(service, publicUrl)).toBe(200);
  expect(await statusOf(local, 'null')).toBe(403);
});
