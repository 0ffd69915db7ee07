import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ApolloClient, gql, HttpLink, type InMemoryCache } from '@apollo/client';
import { isAbstractType, isInterfaceType, isObjectType } from 'graphql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createGraphqlSchema } from '#graphql-adapter';
import { closedAfterAll } from '../support/closed.ts';
import { readCodeSamples } from '../support/code-samples.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startService } from '../support/service.ts';

const samples = await readCodeSamples('docs/caches.md');
const [apollo = '', companies = '', graphcache = ''] = samples
  .filter(({ language }) => language === 'ts')
  .map(({ code }) => code);
const schema = createGraphqlSchema();
const types = Object.values(schema.getTypeMap());

/** Writes the documented configuration to a folder that can import this repository's packages. */
async function writeApolloCache(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'caches-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const modules = resolve(import.meta.dirname, '../../node_modules');
  await symlink(modules, join(folder, 'node_modules'), 'dir');
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'cache.ts'), apollo);
  return folder;
}

async function loadApolloCache(): Promise<InMemoryCache> {
  const file = join(await writeApolloCache(), 'cache.ts');
  return (await import(/* @vite-ignore */ file)).cache;
}

const page = gql`query Page($after: String) {
  viewer { investor { id name } rateLimit { remaining } }
  companies(first: 1, after: $after) {
    totalCount
    edges {
      cursor
      node {
        id
        name
        access { status request { id status history { actor { type id } } } }
        metrics { ... on CompanyMetrics { metrics { id value source { system } } } }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

const more = gql`{
  companies(first: 1) {
    edges {
      node {
        id
        access { approvedScopes }
        metrics { ... on CompanyMetrics { metrics { id period source { method } } } }
      }
    }
  }
}`;

describe('the configuration of Apollo Client', () => {
  it('merges pages and fields without a warning', async () => {
    const service = await closedAfterAll(startService({ storage: { memory: true } }));
    const { fixtures, operator } = service;
    const { key, investor, company } = await fixtures.portfolio();
    const second = await fixtures.companyOf(investor);
    for (const each of [company, second]) {
      await importLines(operator, sampleData(each.id));
      await fixtures.grant({ key, company: each });
    }
    const logged = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const client = new ApolloClient({
      link: new HttpLink({
        uri: `${service.url}/graphql`,
        headers: { authorization: `Bearer ${key}` },
      }),
      cache: await loadApolloCache(),
    });
    const query = client.watchQuery<{ companies: { edges: object[]; totalCount: number } }>({
      query: page,
    });
    const subscription = query.subscribe({});
    onTestFinished(() => subscription.unsubscribe());
    const { data } = await client.query<{ companies: { pageInfo: { endCursor: string } } }>({
      query: page,
    });
    const after = data?.companies.pageInfo.endCursor;
    await query.fetchMore({ variables: { after } });
    await client.query({ query: more, fetchPolicy: 'network-only' });
    const joined = query.getCurrentResult().data?.companies;
    expect(joined?.edges).toHaveLength(2);
    expect(joined?.totalCount).toBe(2);
    expect(logged.flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  it('loads all pages of a list with the documented program', async () => {
    const service = await closedAfterAll(startService({ storage: { memory: true } }));
    const { key, investor, company } = await service.fixtures.portfolio();
    const others = [await service.fixtures.companyOf(investor)];
    others.push(await service.fixtures.companyOf(investor));
    const folder = await writeApolloCache();
    const file = join(folder, 'companies.ts');
    const code = companies.replace('http://127.0.0.1:3000', service.url);
    await writeFile(file, code.replace('first: 50', 'first: 1'));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], {
      env: { ...process.env, KEY: key },
    });
    expect(stderr).toBe('');
    const ids = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(ids.toSorted()).toEqual([company, ...others].map(({ id }) => id).toSorted());
  });

  it('lists the possible types of each interface', () => {
    for (const type of types.filter(isInterfaceType)) {
      const names = schema.getPossibleTypes(type).map(({ name }) => `'${name}'`);
      expect(apollo).toContain(`${type.name}: [${names.toSorted().join(', ')}]`);
    }
  });
});

it('the configuration of Graphcache lists each type without an ID', () => {
  const roots = ['Query', 'Mutation', 'Subscription'];
  // Graphcache already knows the types of connections, and it doesn't store the result of a mutation.
  const known = /^__|^PageInfo$|(?:Connection|Edge|Payload)$/;
  const embedded = types
    .filter((type) => isObjectType(type) && !isAbstractType(type))
    .filter(({ name }) => !roots.includes(name) && !known.test(name))
    .filter((type) => isObjectType(type) && !(String(type.getFields().id?.type) === 'ID!'))
    .map(({ name }) => name);
  const named = [...graphcache.matchAll(/^ {4}(\w+): embedded,$/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual(embedded.toSorted());
});
