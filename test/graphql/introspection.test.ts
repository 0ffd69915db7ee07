import { hash } from 'node:crypto';
import { getIntrospectionQuery, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createGraphqlSchema } from '#graphql-adapter';
import { codesOf, serveGraphql } from './support.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function serve(setting: 'on' | 'off' | '') {
  const place = await serveGraphql({ environment: { GRAPHQL_INTROSPECTION: setting } });
  const { key: live } = await place.service.fixtures.portfolio();
  const { key: sandbox } = await place.service.fixtures.portfolio({ environment: 'test' });
  return { ...place, live, sandbox };
}

type Place = Awaited<ReturnType<typeof serve>>;

const questions = [
  getIntrospectionQuery(),
  '{ __schema { types { name } } }',
  '{ __type(name: "Company") { name } }',
  '{ ...f } fragment f on Query { x: __schema { queryType { name } } }',
];

/** The GraphQL library would suggest correct names from the schema for these mistakes. */
const guesses = [
  '{ compnies { id } }',
  '{ companies { nodes { nme } } }',
  '{ companies(acess: PENDING) { nodes { id } } }',
  '{ accessRequests(status: PENDNG) { nodes { id } } }',
  '{ companies { nodes { metrics { ... on CompanyMetric { metrics { key } } } } } }',
  'mutation { requestAccess(input: { companyID: "co_0", scopes: [] }) { outcome } }',
];

const schemaText = `${printSchema(createGraphqlSchema())}\n`;

async function expectAnswers({ client, service }: Place, key: string): Promise<void> {
  const file = await service.get('/graphql/schema.graphql', key);
  expect([file.status, file.text]).toEqual([200, schemaText]);
  expect(file.headers['content-type']).toBe('application/graphql; charset=utf-8');
  const headers = { 'if-none-match': String(file.headers.etag) };
  const again = await service.call('GET', '/graphql/schema.graphql', { key, headers });
  expect(again.status).toBe(304);
  for (const query of questions) {
    const answer = await client.ask(key, query);
    expect([answer.status, codesOf(answer)], query).toEqual([200, []]);
  }
  const told = await client.ask(key, guesses[0] ?? '');
  expect(told.body.errors[0].message).toContain('Did you mean "companies"');
}

async function expectSilence({ client }: Place, key: string): Promise<void> {
  const file = await client.send('GET', '/graphql/schema.graphql', { key });
  expect([file.status, codesOf(file)]).toEqual([400, ['introspection_disabled']]);
  expect(codesOf(await client.send('GET', '/graphql/schema.graphql'))).toEqual(['missing_api_key']);
  for (const query of questions) {
    const answer = await client.ask(key, query);
    expect([answer.status, [...new Set(codesOf(answer))]], query).toEqual([
      400,
      ['introspection_disabled'],
    ]);
  }
  for (const query of guesses) {
    const answer = await client.ask(key, query);
    expect([...new Set(codesOf(answer))], query).toEqual(['invalid_query']);
    expect(answer.text).not.toMatch(/did you mean/i);
  }
  const query =
    'query ($status: AccessRequestStatus) { accessRequests(status: $status) { nodes { id } } }';
  for (const status of ['PENDNG', 'pending']) {
    const answer = await client.ask(key, query, { status });
    expect(codesOf(answer)).toEqual(['invalid_parameter']);
    expect(answer.text).not.toMatch(/did you mean/i);
  }
}

describe('with the default introspection', async () => {
  const place = await serve('');
  const { client, live, sandbox } = place;

  it('keys of the test environment can read the schema', () => expectAnswers(place, sandbox));
  it('keys of the live environment can’t read the schema', () => expectSilence(place, live));
  it('a key gets the response for its environment, even after a request with a key of the other one', async () => {
    await expectAnswers(place, sandbox);
    await expectSilence(place, live);
    await expectAnswers(place, sandbox);
  });
  it('every key can query __typename', async () => {
    const answer = await client.ask(live, '{ __typename viewer { __typename } }');
    expect(answer.body.data).toEqual({ __typename: 'Query', viewer: { __typename: 'Viewer' } });
  });
});

describe('with introspection on', async () => {
  const place = await serve('on');
  const { client, live, sandbox } = place;

  it('every key can read the schema', async () => {
    await expectAnswers(place, live);
    await expectAnswers(place, sandbox);
  });

  it('a browser gets the GraphiQL page without a key, and the page can load nothing from other sites', async () => {
    for (const path of ['/graphql', '/graphql/', '/graphql?query=%7Bviewer%7D']) {
      const { status, headers, text } = await client.send('GET', path, {
        headers: { accept: browser },
      });
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).not.toMatch(/https?:|unsafe-eval|script-src[^;]*('unsafe-inline'|'self')/);
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers.vary).toBe('Accept, Accept-Encoding');
      expect(text).not.toMatch(/<(script|link|img|iframe)[^>]*\s(src|href)="(https?:)?\/\//);
      // Browsers replace these characters before they hash the script, so the hash would differ.
      expect(text).not.toMatch(/[\r\0]/);
      const [, script = ''] = /<script>(.*)<\/script>/s.exec(text) ?? [];
      expect(policy).toContain(`script-src 'sha256-${hash('sha256', script, 'base64')}';`);
    }
  });

  it('the GraphiQL page first asks for the key, and stores no header', async () => {
    const { text } = await client.send('GET', '/graphql', { headers: { accept: browser } });
    expect(text).toContain('<form id="key-form">');
    const call = text.slice(text.lastIndexOf('askForKey('));
    const options = JSON.parse(/^ *\}, (\{.*\})\);$/m.exec(call)?.[1] ?? '');
    expect(options).toMatchObject({ shouldPersistHeaders: false });
    expect(options.headers).toBeUndefined();
  });

  it('a request for the GraphiQL page executes no query', async () => {
    const path = `/graphql?query=${encodeURIComponent('{ viewer { investor { name } } }')}`;
    const page = await client.send('GET', path, { key: live, headers: { accept: browser } });
    expect(page.headers['content-type']).toContain('text/html');
    const head = await client.send('HEAD', '/graphql', { headers: { accept: browser } });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const post = await client.send('POST', '/graphql', {
      headers: { accept: browser },
      body: { query: '{ __typename }' },
    });
    expect(codesOf(post)).toEqual(['missing_api_key']);
  });
});

describe('with introspection off', async () => {
  const place = await serve('off');
  const { client, live, sandbox } = place;

  it('no key can read the schema', async () => {
    await expectSilence(place, live);
    await expectSilence(place, sandbox);
  });

  it('the GraphiQL page doesn’t exist', async () => {
    for (const key of [null, live]) {
      const answer = await client.send('GET', '/graphql', { key, headers: { accept: browser } });
      expect([answer.status, codesOf(answer)]).toEqual([404, ['route_not_found']]);
    }
  });

  it('a query that a browser sends with a key is still accepted', async () => {
    const path = `/graphql?query=${encodeURIComponent('{ __typename }')}`;
    const headers = { accept: browser };
    const answer = await client.send('GET', path, { key: live, headers });
    expect(answer.body).toEqual({ data: { __typename: 'Query' } });
    expect(codesOf(await client.send('GET', path, { headers }))).toEqual(['missing_api_key']);
  });
});
