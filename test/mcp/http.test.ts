import { describe, expect, it } from 'vitest';
import { callOf } from '../parity/drivers/mcp.ts';
import { closedAfterAll } from '../support/closed.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { createHttpClient, type Json } from '../support/http-client.ts';
import { startService } from '../support/service.ts';
import { readAnswer } from './support.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const http = await closedAfterAll(createHttpClient(service.url));
const { key } = await service.fixtures.portfolio();

const post = (message: Json, headers: Readonly<Record<string, string>> = {}) =>
  http.call('POST', '/mcp', { key, body: message, headers });

const request = (method: string, params: Json = {}) => ({ jsonrpc: '2.0', id: 7, method, params });

/** In the MCP revision of July 2026, each message describes the client. */
function inNewForm(method: string, params: Json = {}) {
  const revision = '2026-07-28';
  const meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'agent', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers: Record<string, string> = {
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(params.name !== undefined && { 'mcp-name': params.name }),
  };
  return [request(method, { ...params, _meta: meta }), headers] as const;
}

describe('MCP over HTTP', () => {
  it('accepts POST, and keeps no session between calls', async () => {
    const { status, headers, body } = await post(callOf('list_companies'));
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers).not.toHaveProperty('mcp-session-id');
    expect(readAnswer(body.result).data.companies).toHaveLength(1);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const refused = await http.call(method, '/mcp', { key });
      expect([refused.status, refused.headers.allow]).toEqual([405, 'POST, OPTIONS']);
    }
  });

  it('requires a key before it checks anything else', async () => {
    for (const raw of ['{', '[]', '{}', JSON.stringify(callOf('list_companies'))]) {
      const headers = { 'content-type': 'application/json', origin: 'https://evil.example' };
      const answer = await http.call('POST', '/mcp', { raw, headers });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
      expect(answer.body).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_000, data: { code: 'missing_api_key', nextStep: expect.any(String) } },
      });
    }
  });

  it.each([
    ['an unknown tool', callOf('nothing'), -32_602],
    ['an unsupported method', request('resources/list'), -32_601],
    ['an unknown method', request('nothing/at/all'), -32_601],
  ])('%s gets an error with a documented code', async (_name, message, number) => {
    const { status, body } = await post(message);
    expect([status, body.id, body.error.code]).toEqual([200, message.id, number]);
    expect(body.error.data).toMatchObject({
      code: 'route_not_found',
      documentationUrl: 'https://access.example/docs/errors#route_not_found',
    });
  });

  it.each([
    ['a text', 'tools/list'],
    ['a number', 5],
    ['null', null],
    ['an object that is not JSON-RPC', { method: 'tools/list' }],
    ['a message without a method', { jsonrpc: '2.0', id: 1 }],
    [
      'a message of an unknown revision',
      request('tools/list'),
      { 'mcp-protocol-version': '1999-01-01' },
    ],
    [
      'a message with a header that contradicts it',
      inNewForm('tools/list')[0],
      { ...inNewForm('tools/list')[1], 'mcp-method': 'tools/call' },
    ],
    [
      'a call whose arguments are a list',
      request('tools/call', { name: 'list_companies', arguments: [1] }),
    ],
    ['an initialize message without parameters', request('initialize')],
    ['a message with an invalid cursor', request('tools/list', { cursor: 5 })],
  ])(
    '%s gets the error invalid_parameter with a reason',
    async (_name, message, headers: Readonly<Record<string, string>> = {}) => {
      const { status, body } = await post(message, headers);
      expect(status < 300 && body.result).toBeFalsy();
      expect(body.error.message).not.toMatch(/node_modules|\bat .*:\d+/);
      expect(body.error.data.code).toBe('invalid_parameter');
    },
  );

  it('accepts notifications, which get no response', async () => {
    const { status, text } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text]).toEqual([202, '']);
  });

  it('opens no stream for notifications', async () => {
    const answer = await post(
      ...inNewForm('subscriptions/listen', { notifications: { toolsListChanged: true } }),
    );
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body.error.data.code).toBe('route_not_found');
  });

  it('lists the MCP revisions that it supports', async () => {
    const { body } = await post(...inNewForm('server/discover'));
    expect(body.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
    });
    for (const protocolVersion of ['2025-11-25', '2025-06-18', '2025-03-26']) {
      const hello = { protocolVersion, capabilities: {}, clientInfo: { name: 'a', version: '1' } };
      const answer = await post(request('initialize', hello));
      expect(answer.body.result.protocolVersion).toBe(protocolVersion);
    }
  });

  it('forbids caches to share the list of tools among keys', async () => {
    const { headers, body } = await post(...inNewForm('tools/list'));
    expect(headers['cache-control']).toBe('no-store');
    expect(body.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  it('refuses an unknown argument, and suggests the right name', async () => {
    const { body } = await post(callOf('read_metrics', { companyID: 'co_1' }));
    expect(readAnswer(body.result)).toMatchObject({
      isError: true,
      data: {
        error: {
          code: 'invalid_parameter',
          message: 'The parameter companyID is unknown. Perhaps companyId is meant.',
        },
      },
    });
  });

  it('returns the newest 100 values of a history, and the number of earlier values', async () => {
    const { fixtures, operator } = service;
    const made = await fixtures.portfolio();
    const [cash] = sampleData(made.company.id) as [{ readonly period: string }];
    const periods = Array.from({ length: 103 }, (_, index) =>
      new Date(Date.UTC(2025, 0, 1 + index)).toISOString().slice(0, 10),
    );
    await importLines(
      operator,
      periods.map((period) => ({ ...cash, period })),
    );
    await fixtures.grant(made);
    const read = async (input: Json) => {
      const question = { companyId: made.company.id, key: 'cash_balance', ...input };
      const ask = { key: made.key, body: callOf('read_metric_history', question) };
      const { body } = await http.call('POST', '/mcp', ask);
      const { metrics, omitted } = readAnswer(body.result).data;
      return { periods: metrics.map(({ period }: { period: string }) => period), omitted };
    };
    expect(await read({})).toEqual({ periods: periods.slice(3), omitted: 3 });
    expect(await read({ to: periods[2] })).toEqual({ periods: periods.slice(0, 3), omitted: 0 });
  });
});
