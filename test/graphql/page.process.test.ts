// @module-tag full
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isScalarType, isSpecifiedScalarType, parse, printSchema, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGraphqlSchema } from '#graphql-adapter';
import { defaultBounds } from '../../graphql-adapter/settings.ts';
import { importLines, type Portfolio, sampleData } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { codesOf, createGraphqlClient, type GraphqlClient } from './support.ts';
import { createTypedProject, readPageFile, type TypedProject } from './typed-project.ts';

/** Runs the examples in docs/graphql.md exactly as printed. */

const page = await readFile(new URL('../../docs/graphql.md', import.meta.url), 'utf8');
const run = promisify(execFile);

const blocks = [...page.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
  ([, language = '', file, text = '']) => ({ language, file, text }),
);
const documents = blocks
  .filter(({ language }) => language === 'graphql')
  .map(({ text }) => ({ name: /\w+ (\w+)/.exec(text)?.[1], text }));

const hasCurl = spawnSync('curl', ['--version']).status === 0;
if (!hasCurl) console.warn('SKIPPED: the command of the page needs curl, which is not installed');

let service: TestService;
let client: GraphqlClient;
let project: TypedProject;
let given: Portfolio;

beforeAll(async () => {
  service = await startService({ storage: { memory: true } });
  client = createGraphqlClient(service.url);
  given = await service.fixtures.readablePortfolio();
  project = await createTypedProject();
  await project.write('dashboard.ts', await readPageFile('dashboard.ts'));
});
afterAll(async () => {
  client?.close();
  await service?.close();
  await project?.remove();
});

describe('the queries in docs/graphql.md', () => {
  it('are found by this test', () => {
    expect(documents.length).toBeGreaterThanOrEqual(4);
  });

  it.each(documents)(
    'match the schema and get a response without errors: $name',
    async ({ text }) => {
      expect(validate(createGraphqlSchema(), parse(text))).toEqual([]);
      const { company, key } = given;
      const variables = { id: company.id, companyId: company.id };
      const answer = await client.ask(key, text, variables);
      expect([answer.status, codesOf(answer)]).toEqual([200, []]);
    },
  );
});

describe('the client in docs/graphql.md', () => {
  it('compiles in a strict project without type errors', async () => {
    expect(await project.check('dashboard.ts')).toBe('');
  });

  it('prints values, or the reasons why values are missing', async () => {
    const { fixtures, operator } = service;
    const investor = await fixtures.investor();
    const { key } = await fixtures.key(investor);
    const [readable, pending, strange] = [
      await fixtures.companyOf(investor, 'Amber'),
      await fixtures.companyOf(investor, 'Birch'),
      await fixtures.companyOf(investor, 'Cedar'),
    ];
    await importLines(operator, sampleData(readable.id));
    await fixtures.grant({ key, company: readable });
    await fixtures.request(key, pending.id);
    expect(strange.name).toBe('Cedar');
    const { readDashboard } = await project.load('dashboard.ts');
    expect(await readDashboard(service.url, key)).toEqual([
      expect.stringMatching(/^Amber: Cash balance \$990,000/),
      'Birch: ACCESS_PENDING',
      'Cedar: ask for access',
    ]);
    await expect(readDashboard(service.url, 'nonsense')).rejects.toThrow('invalid_api_key');
  });

  it('doesn’t compile if a mistake is added', async () => {
    const text = await readPageFile('dashboard.ts');
    const mistakes = [
      [/metrics\.code === 'ACCESS_REQUIRED'/, "metrics.code === 'ACCESS_REQUIRD'"],
      [/\{ label, value \}/, '{ label, valeu }'],
      [/keys: \['cash_balance'\]/, 'keys: [1]'],
      [/data\.companies\.nodes/, 'data.companies.node'],
    ] as const;
    for (const [place, [right, wrong]] of mistakes.entries()) {
      expect(text).toMatch(right);
      await project.write(`mistake${place}.ts`, text.replace(right, wrong));
    }
    const told = await project.check(...mistakes.keys().map((place) => `mistake${place}.ts`));
    for (const [place, [, wrong]] of mistakes.entries()) {
      expect(told, wrong).toMatch(new RegExp(`^mistake${place}\\.ts.*error TS`, 'm'));
    }
  });
});

describe('the configurations of code generators in docs/graphql.md', () => {
  it.each(['dashboard.ts', 'codegen.ts'])(
    'map every scalar of the schema to a string: %s',
    async (file) => {
      const own = Object.values(createGraphqlSchema().getTypeMap())
        .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
        .map(({ name }) => name);
      const [, mapped = ''] = /scalars: \{ (.*?) \}/.exec(await readPageFile(file)) ?? [];
      const types = Object.fromEntries(
        [...mapped.matchAll(/(\w+): '?(\w+)/g)].map(([, name, type]) => [name, type]),
      );
      expect(types).toEqual(Object.fromEntries(own.map((name) => [name, 'string'])));
    },
  );
});

describe('the error in docs/graphql.md', () => {
  it('is the real response to an invalid key', async () => {
    const block = blocks.find(({ language, file }) => language === 'json' && !file);
    const printed = JSON.parse(block?.text ?? '');
    const [error] = (await client.ask('nonsense', '{ __typename }')).body.errors;
    const timeless = ({ extensions, ...rest }: Json) => ({
      ...rest,
      extensions: {
        ...extensions,
        requestId: extensions.requestId.replace(/[0-9a-f]{32}$/, ''),
        documentationUrl: extensions.documentationUrl.replace(/^https?:\/\/[^/]+/, ''),
      },
    });
    expect(timeless(printed)).toEqual(timeless(error));
  });
});

describe.skipIf(!hasCurl)('the commands in docs/graphql.md', () => {
  const commandWith = (part: string) =>
    blocks.find(({ text }) => text.startsWith('curl') && text.includes(part))?.text ?? '';

  async function send(command: string, key: string): Promise<string> {
    const here = command.replace('http://127.0.0.1:3000', service.url);
    const { stdout } = await run('sh', ['-c', here.replace('curl', 'curl -s')], {
      env: { ...process.env, KEY: key },
    });
    return stdout;
  }

  it('save the schema as a file', async () => {
    const { key } = await service.fixtures.portfolio({ environment: 'test' });
    expect(await send(commandWith('/graphql/schema.graphql'), key)).toBe(
      `${printSchema(createGraphqlSchema())}\n`,
    );
  });

  it('get a response from the service', async () => {
    expect(JSON.parse(await send(commandWith('"query"'), given.key))).toMatchObject({
      data: {
        companies: {
          nodes: [{ name: given.company.name, metrics: { __typename: 'CompanyMetrics' } }],
        },
      },
    });
  });
});

describe('the table of bounds in docs/graphql.md', () => {
  it('lists the default bounds of the service', () => {
    const bounds = defaultBounds;
    const rows = [...page.matchAll(/^\| .* \| ([\d,]+)(?: KiB)? \| `\w+` \|$/gm)];
    expect(rows.map(([, number = '']) => Number(number.replace(',', '')))).toEqual([
      bounds.maxDepth,
      bounds.maxAliases,
      bounds.maxTokens,
      bounds.maxCost,
      bounds.maxReads,
      bounds.maxRows,
      bounds.maxMutations,
      bounds.maxErrors,
      bounds.maxAnswerBytes / 1024,
      bounds.maxBatch,
      bounds.maxBodyBytes / 1024,
    ]);
  });
});
