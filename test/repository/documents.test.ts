import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { accessErrors } from '#core';
import { environmentSchema } from '../../gateway/config.ts';
import { runCommand } from '../cli/harness.ts';

const repository = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFile(join(repository, path), 'utf8');

const documents = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', '{client,verify}/*.md'], {
  cwd: repository,
});
const defaults = environmentSchema.parse({});

test('docs/configuration.md lists every variable once, with its default', async () => {
  const table = await read('docs/configuration.md');
  const rows = [...table.matchAll(/^\| `(\w+)` \| (.*?) ?\| .+ \|$/gm)];
  expect(rows.map(([, name]) => name).toSorted()).toEqual(Object.keys(defaults).toSorted());
  for (const [, name, shown = ''] of rows) {
    const value = defaults[name as keyof typeof defaults];
    // If a default depends on another variable, the text describes it in words.
    if (value === null) expect(shown, name).not.toMatch(/^`[^`]*`$/);
    else expect(shown, name).toBe(`\`${value}\``);
  }
});

/** Names in capital letters that belong to tests, to Node, to other programs or to GraphQL. */
const others = new Set([
  'TEST_DATABASE_URL',
  'TEST_REDIS_URL',
  'FULL_TESTS',
  'FAULT_ROUNDS',
  'CLUSTER_EXPECTS',
  'CLUSTER_REPLICATION',
  'ISOLATION_WORLDS',
  'FUZZ_REQUESTS',
  'NODE_EXTRA_CA_CERTS',
  'COMPANY_KEY',
  'DATA_KEY',
  // For the OpenTelemetry library.
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_SERVICE_NAME',
  // A variable of psql.
  'ON_ERROR_STOP',
  // A variable of the shell in docs/production.md.
  'ADMIN_URL',
  'OWNER_URL',
  'OPERATOR_URL',
  'SERVICE_URL',
  'BACKGROUND_URL',
  // A variable of the compose file.
  'HOST_NAME',
  'ADMIN_PASSWORD',
  'OWNER_PASSWORD',
  'SERVICE_PASSWORD',
  'BACKGROUND_PASSWORD',
  'OPERATOR_PASSWORD',
  'ADDED_AT',
  'COMPANY_API',
  'NO_PROXY',
  'OTEL_EXPORTER_OTLP_CERTIFICATE',
]);

test('the documents and --help mention only existing variables', async () => {
  const current = documents.filter((path) => /^(README|CONTRIBUTING)|^docs\/[^/]+$/.test(path));
  const { stdout } = await runCommand(['--help']);
  const named = [...(await Promise.all(current.map(read))), stdout].flatMap((text) =>
    [...text.matchAll(/(?<=`|^|\s)[A-Z]+(?:_[A-Z]+)+(?==|`|\s|,)/gm)].map(([name]) => name),
  );
  expect(named).toContain('DATABASE_URL');
  const isKnown = (name: string) =>
    name in defaults || others.has(name) || name.toLowerCase() in accessErrors;
  const unknown = named.filter((name) => !isKnown(name));
  expect(unknown).toEqual([]);
});

/** Returns the anchors that GitHub creates for the headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(documents)('the links of %s lead to existing places', async (path) => {
  const text = await read(path);
  for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^\w+:/.test(link)) continue;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    expect(existsSync(join(repository, target)), link).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(await read(target)), link).toContain(anchor);
  }
});

test('the tests that docs/security.md mentions exist', async () => {
  const text = await read('docs/security.md');
  const named = [...text.matchAll(/`([\w/-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !existsSync(join(repository, 'test', path)))).toEqual([]);
});
