import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importLines, sampleData } from '../support/fixtures.ts';
import type { Json } from '../support/http-client.ts';
import { startService, type TestService } from '../support/service.ts';

const tools = resolve(import.meta.dirname, 'generators');
const compiler = resolve(import.meta.dirname, '../../node_modules/typescript-native/bin/tsc');
const hasTools = existsSync(join(tools, 'node_modules/orval'));
if (!hasTools) {
  console.error('SKIPPED: generated clients: run "npm --prefix test/openapi/generators ci" first');
}

const run = (file: string, parameters: readonly string[], cwd: string) =>
  promisify(execFile)(process.execPath, [file, ...parameters], { cwd });

/** The programs read new fields in answers. A new field in a request must not compile. */
const program = {
  'hey-api': `
    import { client } from './hey-api/client.gen.ts';
    import { createAccessRequest, getMetricHistory, listCompanies, listMetrics } from './hey-api/index.ts';

    export async function tour(baseUrl: string, key: string) {
      client.setConfig({ baseUrl, auth: () => key });
      const { data: companies } = await listCompanies({ query: { access: 'approved' } });
      const [company] = companies?.data ?? [];
      const access: 'none' | 'pending' | 'approved' | 'revoked' | undefined = company?.access;
      const path = { id: company?.id ?? '' };
      const { data: metrics } = await listMetrics({ path, query: { keys: 'cash_balance' } });
      const { error } = await createAccessRequest({ body: { company_id: 'co_none', scopes: ['metrics:read'] } });
      const code = error?.error.code;
      if (code === 'a_code_of_a_later_version') throw new Error('not yet');
      const { data: history } = await getMetricHistory({ path: { ...path, key: 'cash_balance' } });
      return { access, exact: metrics?.data[0]?.raw_value_text, code, values: typeof history === 'object' ? history.data.length : 0 };
    }

    // @ts-expect-error an unknown scope cannot be requested
    createAccessRequest({ body: { company_id: 'co_none', scopes: ['everything:read'] } }).catch(() => undefined);
  `,
  orval: `
    import { createAccessRequest, getMetricHistory, listCompanies, listMetrics } from './orval/api.ts';

    export async function tour(_baseUrl: string, key: string) {
      const options = { headers: { authorization: \`Bearer \${key}\` } };
      const companies = await listCompanies({ access: 'approved' }, options);
      if (companies.status !== 200) throw new Error(companies.data.error.code);
      const [company] = companies.data.data;
      const access: 'none' | 'pending' | 'approved' | 'revoked' | undefined = company?.access;
      const id = company?.id ?? '';
      const metrics = await listMetrics(id, { keys: 'cash_balance' }, options);
      const asked = await createAccessRequest({ company_id: 'co_none', scopes: ['metrics:read'] }, options);
      const code = asked.status === 404 ? asked.data.error.code : undefined;
      if (code === 'a_code_of_a_later_version') throw new Error('not yet');
      const history = await getMetricHistory(id, 'cash_balance', {}, options);
      return {
        access,
        exact: metrics.status === 200 ? metrics.data.data[0]?.raw_value_text : undefined,
        code,
        values: history.status === 200 && typeof history.data === 'object' ? history.data.data.length : 0,
      };
    }

    // @ts-expect-error an unknown scope cannot be requested
    export const wrong = () => createAccessRequest({ company_id: 'co_none', scopes: ['everything:read'] });
  `,
} as const;

describe.skipIf(!hasTools)('a generated client', () => {
  let service: TestService;
  let folder: string;

  beforeAll(async () => {
    service = await startService({ storage: { memory: true } });
    folder = await mkdtemp(join(tmpdir(), 'generated-'));
    await symlink(join(tools, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(service.document));
  });
  afterAll(async () => {
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const generate = {
    'hey-api': () =>
      run(
        join(tools, 'node_modules/.bin/openapi-ts'),
        ['-i', 'openapi.json', '-o', 'hey-api', '-c', '@hey-api/client-fetch', '--no-log-file'],
        folder,
      ),
    async orval() {
      const output = { target: './orval/api.ts', client: 'fetch', baseUrl: service.url };
      const config = { api: { input: { target: './openapi.json' }, output } };
      const text = `export default ${JSON.stringify(config)};`;
      await writeFile(join(folder, 'orval.config.mjs'), text);
      await run(join(tools, 'node_modules/.bin/orval'), ['--config', 'orval.config.mjs'], folder);
    },
  };

  it.each(['hey-api', 'orval'] as const)(
    'compiles, accepts new fields in responses, and reads from the service: %s',
    async (name) => {
      await generate[name]();
      await writeFile(join(folder, `${name}.ts`), program[name]);
      const options = [
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--allowImportingTsExtensions',
        ...['--target', 'esnext', '--module', 'esnext', '--moduleResolution', 'bundler'],
        ...['--lib', 'esnext,dom,dom.iterable', '--types', ''],
      ];
      const told = await run(compiler, [...options, `${name}.ts`], folder).catch(
        (error: { stdout: string }) => error,
      );
      expect(told.stdout).toBe('');
      const { key, company } = await service.fixtures.readablePortfolio();
      await importLines(service.operator, sampleData(company.id));
      const { tour } = await loadBundled(name);
      expect(await tour(service.url, key)).toEqual({
        access: 'approved',
        exact: '990000.25',
        code: 'company_not_found',
        values: 3,
      });
    },
  );

  /** Generated code imports files without their extensions, so it is bundled as in an application. */
  async function loadBundled(name: string) {
    const { rolldown } = await import('rolldown');
    const bundle = await rolldown({ input: join(folder, `${name}.ts`), platform: 'node' });
    const file = join(folder, `${name}.bundle.mjs`);
    await bundle.write({ file });
    return import(pathToFileURL(file).href);
  }
});

describe.skipIf(!hasTools)('a document imported into Bruno', () => {
  const load = createRequire(join(tools, 'package.json'));
  const itemsOf = ({ items }: Json): Json[] =>
    items.flatMap((item: Json) => (item.type === 'folder' ? itemsOf(item) : [item]));

  it.each(['/v1/openapi.json', '/company/v1/openapi.json'])(
    'has all requests, with their examples and with the collection’s key: %s',
    async (path) => {
      const { openApiToBruno } = load('@usebruno/converters');
      const { collectionSchema } = load('@usebruno/schema');
      const service = await startService({ storage: { memory: true } });
      const { body: document } = await service.call('GET', path);
      await service.close();
      const collection = openApiToBruno(structuredClone(document));
      await expect(collectionSchema.validate(collection)).resolves.toBeDefined();
      expect(collection.root.request.auth.mode).toBe('bearer');
      const imported = itemsOf(collection).map(({ request }) => [
        `${request.method} ${request.url.replace('{{baseUrl}}', '').replace(/\?.*/, '')}`,
        Object.fromEntries(
          request.params
            .filter(({ type }: Json) => type === 'path')
            .map(({ name, value }: Json) => [name, value]),
        ),
        request.body.json === null ? null : JSON.parse(request.body.json),
      ]);
      const documented = Object.entries<Json>(document.paths).flatMap(([url, item]) =>
        Object.entries<Json>(item).map(([method, { parameters = [], requestBody }]) => [
          `${method.toUpperCase()} ${url.replaceAll(/\{(\w+)\}/g, ':$1')}`,
          Object.fromEntries(
            parameters
              .filter((parameter: Json) => parameter.in === 'path')
              .map(({ name, example }: Json) => [name, example]),
          ),
          requestBody?.content['application/json'].example ?? null,
        ]),
      );
      const inOrder = (requests: Json[][]) => requests.toSorted(([a], [b]) => (a < b ? -1 : 1));
      expect(inOrder(imported)).toEqual(inOrder(documented));
    },
  );
});
