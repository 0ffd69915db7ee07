import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const command = fileURLToPath(new URL('cli.js', import.meta.resolve('relay-compiler')));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relay-'));
  await mkdir(join(folder, 'src'));
  await copyFile(
    resolve(import.meta.dirname, '../../graphql-adapter/schema.graphql'),
    join(folder, 'schema.graphql'),
  );
  const config = { src: './src', schema: './schema.graphql', language: 'typescript' };
  await writeFile(join(folder, 'relay.config.json'), JSON.stringify(config));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Compiles a component with this fragment. Returns the compiler's messages and the generated files. */
async function compile(selection: string, type = 'Query', name = 'Portfolio_companies') {
  await rm(join(folder, 'src'), { recursive: true });
  await mkdir(join(folder, 'src'));
  const parent = {
    Company: `company(id: "co_1") { ...${name} }`,
    Metric: `company(id: "co_1") { metric(key: "arr") { ... on Metric { ...${name} @alias } } }`,
    AccessRequest: `accessRequest(id: "ar_1") { ...${name} }`,
  };
  const place = parent[type as keyof typeof parent] ?? `...${name}`;
  const pages =
    '@argumentDefinitions(count: { type: "Int", defaultValue: 50 }, cursor: { type: "String" })';
  const component = `import { graphql } from 'react-relay';
    graphql\`query PortfolioQuery { ${place} }\`;
    graphql\`
      fragment ${name} on ${type}
      ${type === 'Query' ? pages : ''}
      @refetchable(queryName: "PortfolioPageQuery") { ${selection} }\`;`;
  await writeFile(join(folder, 'src/Portfolio.ts'), component);
  const { stdout, stderr } = await run(process.execPath, [command], { cwd: folder }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  const made = await readdir(join(folder, 'src/__generated__')).catch(() => []);
  return { said: stdout + stderr, made: made.toSorted() };
}

it('Relay accepts the list of companies as a connection, and generates a query for further pages', async () => {
  const { said, made } = await compile(`
    companies(first: $count, after: $cursor, access: APPROVED, search: "a",
      orderBy: { field: ADDED_AT, direction: DESC }) @connection(key: "Portfolio_companies") {
      edges { node { id name access { status } } }
    }`);
  expect(said).not.toContain('Error');
  expect(made).toEqual([
    'PortfolioPageQuery.graphql.ts',
    'PortfolioQuery.graphql.ts',
    'Portfolio_companies.graphql.ts',
  ]);
});

it.each([
  ['accessRequests', 'status: PENDING', 'id status'],
  ['accessRecords', 'companyId: "co_1"', 'id outcome'],
])('Relay accepts the list %s as a connection', async (list, filter, fields) => {
  const name = `Portfolio_${list}`;
  const { said, made } = await compile(
    `${list}(first: $count, after: $cursor, ${filter}) @connection(key: "${name}") {
      edges { node { ${fields} } } }`,
    'Query',
    name,
  );
  expect(said).not.toContain('Error');
  expect(made).toContain(`${name}.graphql.ts`);
});

it.each([
  ['a company', 'Company', 'id name access { status }'],
  ['a metric', 'Metric', 'id key rawValue history { period }'],
  ['an access request', 'AccessRequest', 'id status'],
])('Relay generates a query that fetches %s again by its ID', async (_name, type, selection) => {
  const { said, made } = await compile(selection, type);
  expect(said).not.toContain('Error');
  expect(made).toContain('PortfolioPageQuery.graphql.ts');
  const query = await readFile(
    join(folder, 'src/__generated__/PortfolioPageQuery.graphql.ts'),
    'utf8',
  );
  expect(query).toContain('node(id: $id)');
});

it('Relay refuses a list that isn’t a connection', async () => {
  const { said, made } = await compile(`viewer @connection(key: "Portfolio_viewer") { scopes }`);
  expect(said).toContain('@connection');
  expect(made).toEqual([]);
});
