import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InvestorUseCases } from '#core';
import { createGraphqlSchema } from '#graphql-adapter';
import { appRouter } from '../../trpc-adapter/router.ts';
import { openStream } from '../support/event-stream.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { places } from './use-cases.ts';

const useCases = Object.keys(places) as (keyof InvestorUseCases)[];
const protocols = ['rest', 'graphql', 'trpc', 'mcp'] as const;
type Protocol = (typeof protocols)[number];

let service: TestService;
const called = new Set<string>();

function note(given: InvestorUseCases): InvestorUseCases {
  const entries = Object.entries(given).map(([name, useCase]) => [
    name,
    (...args: unknown[]) => {
      called.add(name);
      return (useCase as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return Object.fromEntries(entries);
}

beforeAll(async () => {
  service = await startService({ storage: { memory: true }, interpose: note });
});
afterAll(() => service?.close());

interface Subject {
  readonly key: string;
  readonly company: string;
  readonly request: string;
  readonly webhook: string;
}

async function aSubject(): Promise<Subject> {
  const { fixtures, operator } = service;
  const { company, key, investor } = await fixtures.readablePortfolio();
  await importLines(operator, sampleData(company.id));
  const { body } = await service.get('/v1/access-requests', key);
  const url = 'https://hooks.example.com';
  const webhook = await operator.addWebhook({ investorId: investor.id, url });
  return { key, company: company.id, request: body.data[0].id, webhook: webhook.endpoint.id };
}

/** Sends a call from the table in its smallest form that reaches the use case. */
const send: Readonly<Record<Protocol, (ask: string, subject: Subject) => Promise<void>>> = {
  async rest(ask, { key, company, request, webhook }) {
    const [method = '', template = ''] = ask.split(' ');
    const ids: Readonly<Record<string, string>> = {
      companies: company,
      'webhook-endpoints': webhook,
    };
    const id = ids[template.split('/')[1] ?? ''] ?? request;
    const query = template === '/metric-history' ? `?company_ids=${company}&keys=cash_balance` : '';
    const path = `/v1${template.replace('{id}', id).replace('{key}', 'cash_balance')}${query}`;
    if (method === 'STREAM') return stream(path, key);
    const scopes = ['metrics:read'];
    const bodies: Record<string, object> = {
      'POST /access-requests': { company_id: company, scopes },
      'PATCH /access-requests/{id}': { scopes },
      'POST /webhook-endpoints': { url: 'https://hooks.example.com' },
    };
    const body = bodies[ask];
    await service.call(method, path, { key, ...(body && { body }) });
  },
  async graphql(query, { key, company, request }) {
    const all = { company, request };
    const used = Object.entries(all).filter(([name]) => query.includes(`$${name}`));
    const body = { query, variables: Object.fromEntries(used) };
    if (query.startsWith('subscription')) return stream('/graphql', key, body);
    const answer = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { errors = [] }: Json = await answer.json();
    expect(errors, query).toEqual([]);
  },
  async trpc(ask, { key, company, request, webhook }) {
    const [type, name = ''] = ask.split(' ');
    if (type === 'subscription') return stream(`/trpc/${name}`, key);
    const ofCompany = { companyId: company, scopes: ['metrics:read'], key: 'cash_balance' };
    const inputs: Record<string, object> = {
      'companies.list': {},
      'companies.get': { companyId: company },
      'metrics.latest': { companyId: company },
      'metrics.byKey': { companyId: company, key: 'cash_balance' },
      'metrics.history': { companyId: company, key: 'cash_balance' },
      'sources.list': { companyId: company },
      'accounts.list': { companyId: company },
      'accessRequests.create': { companyId: company, scopes: ofCompany.scopes },
      'accessRequests.list': {},
      'accessRequests.amend': { id: request, scopes: ofCompany.scopes },
      'accessRecords.list': {},
      'apiKey.get': {},
      'apiKey.rotate': {},
      'webhookEndpoints.list': {},
      'webhookEndpoints.create': { url: 'https://hooks.example.com' },
      'webhookEndpoints.replay': { id: webhook, eventId: 'evt_unknown' },
    };
    const id = name.startsWith('webhookEndpoints') ? webhook : request;
    const answer = await fetch(`${service.url}/trpc/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(inputs[name] ?? { id }),
    });
    // The replay gets a 404, because the webhook endpoint has no delivery yet.
    expect(answer.status, name).toBe(name === 'webhookEndpoints.replay' ? 404 : 200);
  },
  async mcp(name, subject) {
    const { company, request } = subject;
    const scopes = ['metrics:read'];
    const ofCompany = { companyId: company };
    const inputs: Record<string, object> = {
      list_companies: {},
      list_access_requests: {},
      list_access_records: {},
      read_metric: { ...ofCompany, key: 'cash_balance' },
      read_metric_history: { ...ofCompany, key: 'cash_balance' },
      request_access: { ...ofCompany, scopes },
      amend_access_request: { id: request, scopes },
    };
    const isOfRequest = /access_request|receipts|decision/.test(name);
    const input = inputs[name] ?? (isOfRequest ? { id: request } : ofCompany);
    const { result } = await askMcp(subject, 'tools/call', { name, arguments: input });
    expect(result.isError ?? false, name).toBe(false);
  },
};

async function askMcp({ key }: Pick<Subject, 'key'>, method: string, params = {}): Promise<Json> {
  const answer = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  // A slow answer is a stream with one event, and empty comments precede the event.
  return JSON.parse((await answer.text()).replace(/^(:\n\n)+event: message\ndata: /, ''));
}

async function stream(path: string, key: string, body?: object): Promise<void> {
  const opened = await openStream(service.url + path, {
    key,
    ...(body && { method: 'POST', body }),
  });
  expect(opened.response.statusCode, path).toBe(200);
  opened.leave();
  await opened.ended;
}

const asksOf = (protocol: Protocol): string[] =>
  useCases.flatMap((name) => {
    const ask = places[name][protocol];
    return typeof ask === 'string' ? [ask] : [];
  });

describe.each(protocols)('each use case that callers can use, in %s', (protocol) => {
  const possible = useCases.filter((name) => typeof places[name][protocol] === 'string');

  it.each(possible)('%s can be called', async (name) => {
    const subject = await aSubject();
    called.clear();
    await send[protocol](places[name][protocol] as string, subject);
    expect([...called]).toContain(name);
  });
});

describe('the table of use cases', () => {
  it('contains each endpoint of REST', () => {
    const inTable = asksOf('rest').map((ask) => ask.replace('STREAM', 'GET'));
    const served = Object.entries<Json>(service.document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace('/v1', '')}`),
    );
    expect(new Set(inTable)).toEqual(new Set(served));
  });

  it('contains each procedure of tRPC', () => {
    const served = Object.entries<Json>(appRouter._def.procedures).map(
      ([name, { _def }]) => `${_def.type} ${name}`,
    );
    expect(asksOf('trpc').toSorted()).toEqual(served.toSorted());
  });

  it('contains each tool of MCP', async () => {
    const { result } = await askMcp(await aSubject(), 'tools/list');
    const served = result.tools.map(({ name }: Json) => name);
    expect(asksOf('mcp').toSorted()).toEqual(served.toSorted());
  });

  it('contains each root field of GraphQL', () => {
    const schema = createGraphqlSchema();
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const served = roots.flatMap((root) => Object.keys(root?.getFields() ?? {}));
    const inTable = asksOf('graphql').map((ask) => /\{ (\w+)/.exec(ask)?.[1]);
    // `node` calls the use case of its ID's type, so it isn't in the table.
    expect(new Set([...inTable, 'node'])).toEqual(new Set(served));
  });
});
