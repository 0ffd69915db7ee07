import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../gateway/config.ts';
import { readGraphqlSettings } from '../../gateway/graphql-settings.ts';
import { codesOf, serveGraphql } from './support.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const persisted = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });
const names = 'query Names { companies { nodes { name } } }';

describe('automatic persisted queries', async () => {
  const given = await serveGraphql({ bounds: { graphql: { maxBodyBytes: 200 * 1024 } } });
  const send = (key: string, body: object) => given.client.send('POST', '/graphql', { key, body });

  it('work with Apollo’s link, which sends the hash first, and the document only if the hash is unknown', async () => {
    const { key, company } = await given.service.fixtures.portfolio();
    const sent: { query?: string; method: string | undefined }[] = [];
    const client = new ApolloClient({
      link: ApolloLink.from([
        new PersistedQueryLink({ sha256 }),
        new HttpLink({
          uri: `${given.service.url}/graphql`,
          headers: { authorization: `Bearer ${key}` },
          fetch(url, init) {
            sent.push({ ...JSON.parse(String(init?.body)), method: init?.method });
            return fetch(url, init);
          },
        }),
      ]),
      cache: new InMemoryCache(),
    });
    const query = gql(names);
    for (const _ of [1, 2]) {
      const { data } = await client.query<never>({ query, fetchPolicy: 'network-only' });
      expect(data).toMatchObject({ companies: { nodes: [{ name: company.name }] } });
    }
    expect(sent.map((one) => 'query' in one)).toEqual([false, true, false]);
  });

  it('work with GET, and with variables that differ from those of the first request', async () => {
    const { key, company } = await given.service.fixtures.portfolio();
    const query = 'query ($id: ID!) { company(id: $id) { name } }';
    const extensions = persisted(sha256(query));
    await send(key, { query, extensions, variables: { id: 'co_0' } });
    const parameters = new URLSearchParams({
      extensions: JSON.stringify(extensions),
      variables: JSON.stringify({ id: company.id }),
    });
    const answer = await given.client.send('GET', `/graphql?${parameters}`, { key });
    expect(answer.body).toEqual({ data: { company: { name: company.name } } });
  });

  it('return an error for an unknown hash, and for a hash that doesn’t match its document', async () => {
    const { key } = await given.service.fixtures.portfolio();
    const unknown = await send(key, { extensions: persisted(sha256('{ __typename }')) });
    expect([unknown.status, codesOf(unknown)]).toEqual([404, ['persisted_query_not_found']]);
    expect(unknown.body.errors[0].message).toBe('PersistedQueryNotFound');
    const wrong = await send(key, { query: names, extensions: persisted(sha256('else')) });
    expect([wrong.status, codesOf(wrong)]).toEqual([400, ['persisted_query_mismatch']]);
    const other = await send(key, { extensions: persisted(sha256('else')) });
    expect(codesOf(other)).toEqual(['persisted_query_not_found']);
  });

  it('stay stored for a key, however many documents another key sends', async () => {
    const [quiet, hostile] = [
      await given.service.fixtures.portfolio(),
      await given.service.fixtures.portfolio(),
    ];
    const register = (key: string, query: string) =>
      send(key, { query, extensions: persisted(sha256(query)) });
    const isKnown = async (key: string, query: string) =>
      (await send(key, { extensions: persisted(sha256(query)) })).status === 200;
    await register(quiet.key, names);
    const large = (index: number) => `{ __typename } #${index}${'x'.repeat(60_000)}`;
    for (let index = 0; index < 5; index++) await register(hostile.key, large(index));
    expect(await isKnown(quiet.key, names)).toBe(true);
    expect(await isKnown(hostile.key, large(4))).toBe(true);
    // Two of these documents fill the storage for this key.
    expect(await isKnown(hostile.key, large(0))).toBe(false);
    // A document that is larger than the storage runs, but isn't stored.
    const largest = `{ __typename } #${'x'.repeat(140_000)}`;
    expect(codesOf(await register(hostile.key, largest))).toEqual([]);
    expect(await isKnown(hostile.key, largest)).toBe(false);
    expect(await isKnown(hostile.key, large(4))).toBe(true);
  });
});

describe('trusted documents', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'documents-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'documents.json');
  const documents = {
    [sha256(names)]: names,
    Company: 'query Company($id: ID!) { company(id: $id) { name } }',
  };
  await writeFile(file, JSON.stringify(documents));
  const given = await serveGraphql({
    environment: { GRAPHQL_DOCUMENTS: file, GRAPHQL_INTROSPECTION: 'on' },
  });

  it('run by ID in each form that Apollo, Relay and GraphQL over HTTP use', async () => {
    const { key, company } = await given.service.fixtures.portfolio();
    const hash = sha256(names);
    for (const body of [
      { extensions: persisted(hash) },
      { documentId: hash },
      { doc_id: hash },
      { id: hash },
      { documentId: `sha256:${hash}` },
    ]) {
      const answer = await given.client.send('POST', '/graphql', { key, body });
      expect(answer.body).toEqual({ data: { companies: { nodes: [{ name: company.name }] } } });
    }
    const get = await given.client.send('GET', `/graphql?doc_id=${hash}`, { key });
    expect(get.body).toEqual({ data: { companies: { nodes: [{ name: company.name }] } } });
    const body = { documentId: 'Company', variables: { id: company.id } };
    const { body: told } = await given.client.send('POST', '/graphql', { key, body });
    expect(told).toEqual({ data: { company: { name: company.name } } });
  });

  it.each([
    ['a document', { query: '{ __typename }' }, /Send the ID of one instead of a document/],
    [
      'a document with a valid hash',
      { query: names, extensions: persisted(sha256(names)) },
      /instead/,
    ],
    ['the schema', { query: '{ __schema { queryType { name } } }' }, /instead of a document/],
    ['nothing', {}, /Send the ID of one/],
    ['an id that is not in the list', { documentId: 'Other' }, /has no document with this ID/],
    [
      'a hash that is not in the list',
      { extensions: persisted(sha256('{ a }')) },
      /has no document with this ID/,
    ],
  ])('are the only accepted documents: %s is refused', async (_name, body, message) => {
    const { key } = await given.service.fixtures.portfolio();
    const answer = await given.client.send('POST', '/graphql', { key, body });
    expect([answer.status, codesOf(answer)]).toEqual([400, ['document_not_trusted']]);
    expect(answer.body.errors[0].message).toMatch(message);
  });

  it('turn off the GraphiQL page, because it would send other documents', async () => {
    const headers = { accept: 'text/html' };
    const answer = await given.client.send('GET', '/graphql', { headers });
    expect(codesOf(answer)).toEqual(['route_not_found']);
  });

  it.each([
    ['a manifest of Apollo', { ...manifest([{ id: 'a', body: names }]) }, null],
    ['a text that is not JSON', 'x', 'it is not JSON'],
    ['no documents', {}, 'it is neither a map of documents nor a manifest of Apollo'],
    ['a list', [names], 'it is neither a map of documents nor a manifest of Apollo'],
    ['a document that cannot be read', { a: '{' }, /the document a: Syntax Error/],
    [
      'a document that does not match the schema',
      { a: '{ nothing }' },
      /the document a: Cannot query field "nothing"/,
    ],
  ])(
    'are read from a file at the start of the service, and an invalid file causes an error: %s',
    async (_name, list, wrong) => {
      const path = join(folder, 'list.json');
      await writeFile(path, typeof list === 'string' ? list : JSON.stringify(list));
      const reading = readGraphqlSettings(readConfig({ GRAPHQL_DOCUMENTS: path }));
      if (wrong === null) {
        expect((await reading).trustedDocuments).toEqual(new Map([['a', names]]));
        return;
      }
      const { message } = await reading.then(
        () => new Error('nothing is wrong'),
        (error: Error) => error,
      );
      expect(message).toContain(`GRAPHQL_DOCUMENTS ${path} cannot be used: `);
      expect(message).toMatch(wrong);
    },
  );

  it('make the service fail at its start if their file is missing', async () => {
    const config = readConfig({ GRAPHQL_DOCUMENTS: join(folder, 'none.json') });
    await expect(readGraphqlSettings(config)).rejects.toThrow(/GRAPHQL_DOCUMENTS .*ENOENT/);
  });
});

function manifest(operations: readonly object[]) {
  return { format: 'apollo-persisted-query-manifest', version: 1, operations };
}
