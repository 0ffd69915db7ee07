import { describe, expect, it } from 'vitest';
import { codesOf, serveGraphql } from './support.ts';

const plain = 'application/json; charset=utf-8';
const newer = 'application/graphql-response+json; charset=utf-8';
const query = '{ viewer { environment } }';
const data = { viewer: { environment: 'LIVE' } };

const { service, client } = await serveGraphql();
const { key } = await service.fixtures.portfolio({ rateLimit: 1_000_000 });

const get = (parameters: Record<string, string>, accept = 'application/json') =>
  client.send('GET', `/graphql?${new URLSearchParams(parameters)}`, { key, headers: { accept } });
const post = (body: unknown, accept = 'application/json') =>
  client.send('POST', '/graphql', { key, body, headers: { accept } });

describe('the form of a response', () => {
  it.each([
    ['', plain],
    ['*/*', plain],
    ['application/graphql-response+json', newer],
    ['APPLICATION/GRAPHQL-RESPONSE+JSON; charset=utf-8', newer],
    ['application/json;q=0.5, application/graphql-response+json;q=0.8', newer],
    ['application/graphql-response+json;q=0.5, application/json', plain],
    ['application/json, application/graphql-response+json, text/event-stream', newer],
    [';q=,,;;q=x,application/json;q=1;q=2', plain],
  ])('depends on the request’s header Accept: “%s” gives %s', async (accept, type) => {
    const answer = await post({ query }, accept);
    expect(answer.headers['content-type']).toBe(type);
    expect(answer.body).toEqual({ data });
    const refused = await client.send('POST', '/graphql', { headers: { accept }, body: { query } });
    expect([refused.status, refused.headers['content-type']]).toEqual([401, type]);
    expect(codesOf(refused)).toEqual(['missing_api_key']);
  });

  it('has the status 200 or 400, depending on its media type, if the document is invalid', async () => {
    for (const wrong of [
      '{',
      '{ nothing }',
      'query A { viewer { environment } } query B { __typename }',
    ])
      for (const [accept, status] of [[plain, 200] as const, [newer, 400] as const]) {
        const answer = await post({ query: wrong }, accept);
        expect([answer.status, codesOf(answer)], wrong).toEqual([status, ['invalid_query']]);
        expect(answer.body).not.toHaveProperty('data');
        expect(answer.body.errors[0].path).toBeUndefined();
      }
  });

  it('has the status 200 or 400, depending on its media type, if the variables are invalid', async () => {
    const wanted = 'query ($id: ID!) { company(id: $id) { id } }';
    for (const variables of [{}, { id: null }, { id: [] }, { id: {} }, { id: true }])
      for (const [accept, status] of [[plain, 200] as const, [newer, 400] as const]) {
        const answer = await post({ query: wanted, variables }, accept);
        expect([answer.status, codesOf(answer)]).toEqual([status, ['invalid_parameter']]);
        expect(answer.body.errors[0].message).toContain('$id');
      }
  });
});

describe('GET', () => {
  it('accepts variables and the name of the operation', async () => {
    const named = 'query A { __typename } query B($id: ID!) { accessRequest(id: $id) { id } }';
    const answer = await get({ query: named, operationName: 'B', variables: '{"id":"ar_0"}' });
    expect(codesOf(answer)).toEqual(['access_request_not_found']);
    expect((await get({ query: named, operationName: 'A' })).body.data).toEqual({
      __typename: 'Query',
    });
    expect(codesOf(await get({ query: named, operationName: 'C' }))).toEqual(['invalid_query']);
    // In GraphQL over HTTP, an empty operation name counts as missing.
    const { body } = await get({ query: '{ __typename }', operationName: '' });
    expect(body.data).toEqual({ __typename: 'Query' });
  });

  it('never runs a mutation', async () => {
    const { company, key: writer } = await service.fixtures.portfolio();
    const mutation = `mutation { requestAccess(input: {companyId: "${company.id}", scopes: [METRICS_READ]}) { outcome } }`;
    const path = (more: object) => `/graphql?${new URLSearchParams({ query: mutation, ...more })}`;
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await client.send(method, path({}), { key: writer });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
      if (method === 'GET') expect(codesOf(answer)).toEqual(['method_not_allowed']);
    }
    const both = `${mutation.replace('mutation', 'mutation M')} query Q { __typename }`;
    const named = await client.send('GET', path({ query: both, operationName: 'M' }), {
      key: writer,
    });
    expect(named.status).toBe(405);
    const asked = await client.ask(writer, '{ accessRequests { nodes { id } } }');
    expect(asked.body.data).toEqual({ accessRequests: { nodes: [] } });
  });

  it.each([
    ['no query', {}],
    ['variables that are not JSON', { query, variables: '{' }],
    ['variables that are a list', { query, variables: '[]' }],
    ['extensions that are a text', { query, extensions: '"x"' }],
  ])('is refused with %s', async (_name, parameters) => {
    const answer = await get(parameters as Record<string, string>);
    expect([answer.status, codesOf(answer)]).toEqual([400, ['invalid_parameter']]);
  });
});

describe('POST', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
  ])('accepts %s', async (type) => {
    const answer = await client.send('POST', '/graphql', {
      key,
      raw: JSON.stringify({ query, variables: null, operationName: null, extensions: null }),
      headers: { 'content-type': type },
    });
    expect(answer.body).toEqual({ data });
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/graphql',
    '',
  ])('refuses %j, which a page of another site could send', async (type) => {
    const answer = await client.send('POST', '/graphql', {
      key,
      raw: JSON.stringify({ query }),
      headers: type === '' ? {} : { 'content-type': type },
    });
    expect([answer.status, codesOf(answer)]).toEqual([415, ['unsupported_media_type']]);
  });

  it.each([
    ['', 'malformed_json'],
    ['{', 'malformed_json'],
    ['{"query":"{ __typename }",}', 'malformed_json'],
    ['\ufeff{}', 'invalid_parameter'],
    ['{"query":["{ __typename }"]}', 'invalid_parameter'],
    ['{"query":"{ __typename }","variables":[]}', 'invalid_parameter'],
    ['{"query":"{ __typename }","extensions":1}', 'invalid_parameter'],
  ])('refuses the body %j with the code %s', async (raw, code) => {
    const answer = await client.send('POST', '/graphql', {
      key,
      raw,
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, codesOf(answer)]).toEqual([400, [code]]);
  });

  it('refuses a body that isn’t UTF-8', async () => {
    const raw = Buffer.concat([Buffer.from('{"query":"{ '), Buffer.from([0xff, 0xfe, 0x22, 0x7d])]);
    const headers = { 'content-type': 'application/json' };
    const answer = await client.send('POST', '/graphql', { key, raw, headers });
    expect(codesOf(answer)).toEqual(['malformed_json']);
  });

  it('ignores the query string', async () => {
    const path = `/graphql?query=${encodeURIComponent('{ nothing }')}`;
    const answer = await client.send('POST', path, { key, body: { query } });
    expect(answer.body).toEqual({ data });
  });
});

describe('a batch', () => {
  it('gets one result for each operation, in the order of the operations', async () => {
    const answer = await post(
      [{ query }, { query: '{' }, null, 'x', { query: '{ company(id: "co_0") { id } }' }, {}],
      newer,
    );
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe(newer);
    const codes = answer.body.map((body: object) => codesOf({ ...answer, body }));
    expect(codes).toEqual([
      [],
      ['invalid_query'],
      ['invalid_parameter'],
      ['invalid_parameter'],
      ['company_not_found'],
      ['invalid_parameter'],
    ]);
    expect(answer.body[0]).toEqual({ data });
  });

  it('may contain a mutation', async () => {
    const { company, key: writer } = await service.fixtures.portfolio();
    const mutation = `mutation { requestAccess(input: {companyId: "${company.id}", scopes: [METRICS_READ]}) { outcome } }`;
    const answer = await client.send('POST', '/graphql', {
      key: writer,
      body: [{ query: mutation }, { query }],
    });
    expect(answer.body).toEqual([{ data: { requestAccess: { outcome: 'CREATED' } } }, { data }]);
  });
});

describe('methods and paths', () => {
  it.each(['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'])('%s is not allowed', async (method) => {
    const answer = await client.send(method, '/graphql', { key });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
    expect(codesOf(answer)).toEqual(['method_not_allowed']);
  });

  it('OPTIONS returns the methods to every caller', async () => {
    const answer = await client.send('OPTIONS', '/graphql');
    expect([answer.status, answer.headers.allow]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  it('HEAD returns the headers of GET without a body', async () => {
    const path = `/graphql?query=${encodeURIComponent(query)}`;
    const head = await client.send('HEAD', path, { key });
    const full = await client.send('GET', path, { key });
    expect([head.status, head.headers['content-type'], head.headers['content-length']]).toEqual([
      200,
      full.headers['content-type'],
      full.headers['content-length'],
    ]);
    expect((await client.send('HEAD', path)).status).toBe(401);
  });

  it('the path is accepted with a slash at its end', async () => {
    const answer = await client.send('POST', '/graphql/', { key, body: { query } });
    expect(answer.body).toEqual({ data });
  });

  it.each(['/graphql/nothing', '/graphql/../graphql/x', '/graphql/%zz', '/graphql/stream'])(
    '%s returns 404',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const answer = await client.send(method, path, { key });
        expect([answer.status, codesOf(answer)]).toEqual([404, ['route_not_found']]);
      }
    },
  );
});

describe('a response that is never sent in several parts', () => {
  it('returns invalid_query for a subscription to a field that only queries have', async () => {
    for (const accept of ['text/event-stream', 'multipart/mixed', newer]) {
      const answer = await post({ query: 'subscription { viewer { environment } }' }, accept);
      expect(codesOf(answer)).toEqual(['invalid_query']);
    }
  });

  it('is one response in plain JSON for an operation with @defer or @stream', async () => {
    for (const part of [
      '{ viewer { scopes ... @defer(label: "later") { environment } } }',
      '{ viewer { scopes } accessRequests { nodes @stream(initialCount: 0) { id } } }',
      'query ($later: Boolean = true) { viewer { scopes ...V @defer(if: $later) } } fragment V on Viewer { environment }',
    ]) {
      const answer = await post(
        { query: part },
        'multipart/mixed;deferSpec=20220824, application/json',
      );
      expect(answer.headers['content-type']).toBe(plain);
      expect(codesOf(answer)).toEqual([]);
      expect(answer.body).toMatchObject({
        data: { viewer: { scopes: expect.any(Array) } },
        extensions: { is_final: true },
      });
    }
    const misplaced = await post({ query: '{ companies { nodes { id @stream } } }' });
    expect(codesOf(misplaced)).toEqual(['invalid_query']);
  });
});

describe('the service', () => {
  it('logs one line per request, without the query', async () => {
    const secret = 'ar_not_for_the_log';
    const query = `{ accessRequest(id: "${secret}") { id } }`;
    const answers = [await get({ query }), await post({ query })];
    const lines = service.log.filter((line) =>
      answers.some(({ headers }) => line.includes(String(headers['svc-request-id']))),
    );
    expect(lines).toHaveLength(2);
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ msg: 'request', path: '/graphql', status: 200 });
    expect(lines.join('')).not.toContain(secret);
  });
});
