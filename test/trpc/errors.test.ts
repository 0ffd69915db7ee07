import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { beforeEach, describe, expect, it } from 'vitest';
import { AccessError } from '#core';
import { errorAnswers, errorCodes } from '#http';
import { keyOf } from '../../trpc-adapter/errors.ts';
import { createStandIns } from '../parity/stand-ins.ts';
import { getPath, outcomesOf, refusedAs, serveTrpc } from './support.ts';

const standIns = createStandIns();
const { service, client } = await serveTrpc({ interpose: standIns.interpose });

describe('the table of error codes', () => {
  it.each(errorCodes)('gives %s a tRPC code with the same status as in REST', (code) => {
    const error = new TRPCError({ code: keyOf(code) });
    // tRPC has no code for the status 410.
    const status = code === 'event_expired' ? 412 : errorAnswers[code].status;
    expect(getHTTPStatusCodeFromError(error)).toBe(status);
  });
});

describe('a refusal', () => {
  it('has the form of a tRPC error for a wrong credential, and comes before the input is read', async () => {
    for (const [as, code] of [
      [null, 'missing_api_key'],
      ['nonsense', 'invalid_api_key'],
    ] as const) {
      for (const name of ['companies.list', 'nowhere', ''])
        expect(refusedAs(await client.ask(as, name))).toEqual([401, code]);
      for (const method of ['GET', 'DELETE', 'OPTIONS', 'PATCH'])
        expect(refusedAs(await client.send(method, '/trpc/companies.list', { key: as }))).toEqual([
          401,
          code,
        ]);
      const batch = await client.batch(as, ['companies.list'], ['nowhere'], ['accounts.list']);
      expect(refusedAs(batch)).toEqual([401, code, code, code]);
      const raw = { key: as, raw: '{', headers: { 'content-type': 'text/plain' } };
      expect(refusedAs(await client.send('POST', '/trpc/companies.list', raw))).toEqual([
        401,
        code,
      ]);
    }
  });

  it('is route_not_found for an unknown procedure or path, and doesn’t repeat the name', async () => {
    const { key } = await service.fixtures.portfolio();
    for (const path of [
      '',
      '/',
      '/companies',
      '/Companies.list',
      '/companies/list',
      '/companies.list/x',
      '/constructor',
      '/companies.__proto__',
      '/_def.procedures',
      '/companies.list,companies.list',
      '/companies.list%2Ccompanies.list',
      '/mark%zz',
      '/mark%C3%28',
      `/${'mark'.repeat(2000)}`,
    ])
      for (const method of ['GET', 'POST']) {
        const answer = await client.send(method, `/trpc${path}`, { key });
        expect(refusedAs(answer), path).toEqual([404, 'route_not_found']);
        expect(answer.text).not.toContain('mark');
      }
  });

  it('lists the allowed methods for a wrong method', async () => {
    const { key } = await service.fixtures.portfolio();
    const allowed = async (method: string, name: string, headers = {}) => {
      const answer = await client.send(method, `/trpc/${name}`, { key, headers });
      expect(refusedAs(answer)[0]).toBe(405);
      expect(new Set(outcomesOf(answer))).toEqual(new Set(['method_not_allowed']));
      return answer.headers.allow;
    };
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']) {
      expect(await allowed(method, 'companies.list')).toBe('GET, HEAD, POST');
      expect(await allowed(method, 'accessRequests.create')).toBe('POST');
      expect(await allowed(method, 'companies.list,accounts.list?batch=1')).toBe('GET, HEAD, POST');
    }
    expect(await allowed('PUT', 'companies.list', { 'content-type': 'text/plain' })).toBe(
      'GET, HEAD, POST',
    );
  });

  it('is the answer to every mutation with GET or HEAD, and the mutation doesn’t run', async () => {
    const { key, company } = await service.fixtures.portfolio();
    const wanted = { companyId: company.id, scopes: ['metrics:read'] };
    const single = getPath('accessRequests.create', wanted);
    const batch = `${getPath('accessRequests.create', { 0: wanted })}&batch=1`;
    const override = { 'x-http-method-override': 'POST', 'content-type': 'application/json' };
    for (const path of [single, batch, `${single}&_method=POST`, `${single}&method=POST`]) {
      const answer = await client.send('GET', path, { key, headers: override });
      expect(refusedAs(answer)).toEqual([405, 'method_not_allowed']);
      expect(answer.headers.allow).toBe('POST');
      expect((await client.send('HEAD', path, { key })).status).toBe(405);
    }
    const list = await client.ask(key, 'accessRequests.list');
    expect(list.body.result.data.items).toEqual([]);
  });

  it('has the code of the body’s problem: media type, syntax or size', async () => {
    const { key } = await service.fixtures.portfolio();
    const post = (name: string, type: string | null, raw: string | Buffer) =>
      client.send('POST', `/trpc/${name}`, {
        key,
        raw,
        ...(type !== null && { headers: { 'content-type': type } }),
      });
    const json = 'application/json';
    const long = `"${'x'.repeat(65_536)}"`;
    for (const [type, raw, status, code] of [
      ['application/x-www-form-urlencoded', '{}', 415, 'unsupported_media_type'],
      ['multipart/form-data; boundary=x', '{}', 415, 'unsupported_media_type'],
      ['text/plain', '{}', 415, 'unsupported_media_type'],
      ['application/jsonl', '{}', 415, 'unsupported_media_type'],
      [null, '{}', 415, 'unsupported_media_type'],
      [json, '{"companyId":}', 400, 'malformed_json'],
      [json, Buffer.from([0x22, 0xff, 0x22]), 400, 'malformed_json'],
      [json, '\0', 400, 'malformed_json'],
      [json, long, 413, 'payload_too_large'],
    ] as const) {
      expect(refusedAs(await post('companies.get', type, raw))).toEqual([status, code]);
      const batch = await post('accessRequests.create,companies.list?batch=1', type, raw);
      expect(refusedAs(batch)).toEqual([status, code, code]);
    }
  });

  it('is a single error for a stream, in the form that tRPC’s link reads', async () => {
    const { key } = await service.fixtures.portfolio();
    for (const headers of [
      { 'trpc-accept': 'application/jsonl' },
      { accept: 'application/jsonl' },
      { accept: 'application/json, application/jsonl' },
    ] as Record<string, string>[]) {
      const path = '/trpc/companies.list,companies.list?batch=1';
      const answer = await client.send('GET', path, { headers });
      expect(Array.isArray(answer.body)).toBe(false);
      expect(refusedAs(answer)).toEqual([401, 'missing_api_key']);
      const good = await client.send('GET', path, { key, headers });
      expect(refusedAs(good)).toEqual([200, 'ok', 'ok']);
      for (const input of ['{', '[]', '7']) {
        const bad = await client.send('GET', `${path}&input=${input}`, { key, headers });
        const code = input === '{' ? 'malformed_json' : 'invalid_parameter';
        expect(refusedAs(bad)).toEqual([400, code]);
      }
    }
  });

  it('isn’t the answer to a query with HEAD, which gets the same headers as with GET', async () => {
    const { key, company } = await service.fixtures.readablePortfolio();
    const path = getPath('metrics.latest', { companyId: company.id });
    const get = await client.send('GET', path, { key });
    const head = await client.send('HEAD', path, { key });
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
  });
});

describe('an internal error', () => {
  const secret = 'password authentication failed for user "svc" at db-7.internal';
  let logLength = 0;

  beforeEach(() => {
    standIns.restore();
    logLength = service.log.length;
  });

  const logged = () =>
    service.log
      .slice(logLength)
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'unexpected error');

  it('is logged once with the request ID if many calls of a batch fail, and affects no other call', async () => {
    standIns.break('readSources', new Error(secret));
    standIns.break('readAccounts', new Error(secret));
    const { key, company } = await service.fixtures.readablePortfolio();
    const input = { companyId: company.id };
    const answer = await client.batch(
      key,
      ['sources.list', input],
      ['metrics.latest', input],
      ['accounts.list', input],
      ['sources.list', input],
    );
    const masked = 'internal_error';
    expect(refusedAs(answer)).toEqual([207, masked, 'ok', masked, masked]);
    expect(logged()).toMatchObject([
      { request_id: answer.headers['svc-request-id'], err: { message: secret } },
    ]);
  });

  it('is masked if a response can’t be serialised as JSON', async () => {
    standIns.replace('listPortfolio', () => [{ id: 1n }]);
    const { key } = await service.fixtures.portfolio();
    expect(refusedAs(await client.ask(key, 'companies.list'))).toEqual([500, 'internal_error']);
    expect(logged()).toHaveLength(1);
  });

  it('isn’t returned or logged during an outage, because the response is then 503 with Retry-After', async () => {
    standIns.break('readSources', new AccessError('service_unavailable'));
    const { key, company } = await service.fixtures.readablePortfolio();
    const input = { companyId: company.id };
    const single = await client.ask(key, 'sources.list', input);
    expect(refusedAs(single)).toEqual([503, 'service_unavailable']);
    expect(single.headers['retry-after']).toBe('5');
    const down = ['sources.list', input] as const;
    expect(refusedAs(await client.batch(key, down, down))[0]).toBe(503);
    expect(refusedAs(await client.batch(key, down, ['metrics.latest', input]))).toEqual([
      207,
      'service_unavailable',
      'ok',
    ]);
    expect(logged()).toEqual([]);
  });

  it('isn’t returned if the key ends while its call runs, because the response is then 401', async () => {
    standIns.break('readSources', new AccessError('invalid_api_key'));
    const { key, company } = await service.fixtures.readablePortfolio();
    const answer = await client.ask(key, 'sources.list', { companyId: company.id });
    expect(refusedAs(answer)).toEqual([401, 'invalid_api_key']);
  });
});
