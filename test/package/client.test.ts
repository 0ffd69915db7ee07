// @module-tag full
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMigratedDataDir } from '../support/databases.ts';
import { startServiceProcess } from '../support/processes.ts';
import { isFull } from '../support/property-runs.ts';
import { startService, type TestService } from '../support/service.ts';
import {
  bundler,
  commonJs,
  compile,
  compilers,
  node,
  node20,
  nodenext,
  web,
  withoutDeclarations,
} from './compile.ts';
import { type Consumer, createConsumer, repository } from './consumer.ts';
import { createHover } from './hover.ts';
import { olderNode } from './older-node.ts';
import { findPublishingProblems } from './publishing.ts';
import { describeTour } from './tour.ts';

let consumer: Consumer;
let service: TestService;
let dataDir: Awaited<ReturnType<typeof createMigratedDataDir>>;
let demo: Awaited<ReturnType<typeof startServiceProcess>>;

const inConsumer = (...path: string[]) => join(consumer.folder, ...path);

beforeAll(async () => {
  dataDir = await createMigratedDataDir();
  [consumer, service, demo] = await Promise.all([
    createConsumer('client'),
    startService({ storage: { memory: true } }),
    startServiceProcess({ DEMO: 'on', DATA_DIR: dataDir.path }),
  ]);
  for (const name of ['@types/node', 'undici-types'])
    await cp(join(repository, 'node_modules', name), inConsumer('node_modules', name), {
      recursive: true,
    });
  await copyFile(join(import.meta.dirname, 'tour.ts.txt'), inConsumer('tour.ts'));
  await copyFile(join(import.meta.dirname, 'run.mjs.txt'), inConsumer('run.mjs'));
}, 300_000);
afterAll(async () => {
  await Promise.all([service?.close(), demo?.stop(), consumer?.remove()]);
  await dataDir?.remove();
});

describe('the packed client', () => {
  it('is one package of at most 5 MB, and has no commands', () => {
    expect(consumer.packages).toEqual(['node_modules/portfolio-access-client']);
    expect(consumer.bytes).toBeLessThan(5_000_000);
    expect(existsSync(inConsumer('node_modules/.bin'))).toBe(false);
  });

  it('passes the checks of attw and publint for imports, require and types', async () => {
    expect(await findPublishingProblems(consumer.tarball)).toEqual([]);
  });

  it('doesn’t change which Node runs the consumer’s scripts', () => {
    const [before, after] = consumer.nodes;
    expect(after).toBe(before);
  });

  it('contains the licences of its bundled code', async () => {
    const [own, ...carried] = await Promise.all(
      ['LICENSE', 'dist/LICENSE-tRPC', 'dist/LICENSE-eventsource-parser'].map((name) =>
        readFile(inConsumer('node_modules/portfolio-access-client', name), 'utf8'),
      ),
    );
    expect(own).toContain('Apache License');
    for (const licence of carried) expect(licence).toContain('MIT License');
  });

  it('can’t be packed before npm ci has run, and the error explains how to continue', () => {
    expect(consumer.refusal).toContain('run "npm ci" in ');
    expect(consumer.refusal).not.toMatch(/^\s+at /m);
  });

  it('adds at most 10 kB to a web bundle', async () => {
    await writeFile(inConsumer('page-entry.js'), "export * from 'portfolio-access-client';");
    const page = await rolldown({ input: inConsumer('page-entry.js'), platform: 'browser' });
    const { output } = await page.generate({ minify: true });
    expect(output).toHaveLength(1);
    expect(output[0].imports).toEqual([]);
    // esbuild's output is 5% larger than this one, so the limit for esbuild is 10,000 bytes.
    expect(gzipSync(output[0].code).length).toBeLessThan(9_523);
  });

  it('declares only types of the client, without internals of the service', async () => {
    for (const file of ['index.d.ts', 'index.d.cts']) {
      const text = await readFile(
        inConsumer('node_modules/portfolio-access-client/dist', file),
        'utf8',
      );
      expect(text.match(/^declare (?:module|global|class)\b.*|errorCatalogue|\bDate\b/gm)).toBe(
        null,
      );
      const exported = /^export type \{ (.*) \};$/m.exec(text)?.[1]?.split(', ') ?? [];
      expect(exported).toContain('AppRouter');
      const declared = [...text.matchAll(/^(?:interface|type) (\w+)/gm)].map(([, name]) => name);
      // Helper types of the calls, and types that exported types refer to, aren't exported.
      expect(declared.filter((name) => !exported.includes(name ?? '')).toSorted()).toEqual(
        [
          ...[
            'AccessEventType',
            'AccountType',
            'Actor',
            'Allowed',
            'Bounds',
            'DataEventType',
            'ErrorDetails',
            'ErrorShape',
            'NumberedProblem',
            'Procedures',
            'RecordProblem',
            // Each of the two subscriptions declares one type.
            ...['Subscriptions', 'Subscriptions'],
          ],
          ...['Arguments', 'CallsOf', 'EventOf', 'Method', 'MethodOf', 'Received', 'Shown'],
          ...['ChangesInput', 'ChangesProcedure', 'PortfolioAccessCalls', 'SourceVerification'],
          ...['SignedVerification', 'UnsignedVerification', 'MetricSource', 'CompanyGrant'],
          // The exported types of keys, access records and webhook deliveries refer to these types.
          ...['CompanyRefusalCode', 'Environment', 'Page', 'Protocol', 'RefusalCode', 'Resource'],
          ...['Scope', 'DeliveryFailure', 'DeliveryState', 'EventType', 'WebhookFailure'],
          'SignInWay',
        ].toSorted(),
      );
    }
  });

  describe.each(commonJs)('in a CommonJS project, %s', (name, options) => {
    const file = `${name}.ts`;
    const inProject = (...path: string[]) => inConsumer('..', 'commonjs', ...path);

    beforeAll(async () => {
      await mkdir(inProject(), { recursive: true });
      if (!existsSync(inProject('node_modules'))) {
        await symlink(inConsumer('node_modules'), inProject('node_modules'));
        await writeFile(inProject('package.json'), '{}');
      }
      await copyFile(join(import.meta.dirname, 'commonjs.ts.txt'), inProject(file));
    });

    it.each(compilers)('compiles with %s', async (compiler) => {
      const { errors } = await compile(inProject(), file, compiler, { ...options, ...node });
      expect(errors).toBe('');
    });

    it.skipIf(olderNode === undefined).each([process.execPath, olderNode ?? ''])(
      'runs on %s',
      async (execPath) => {
        const compiled = { ...options, ...node, ...withoutDeclarations };
        await compile(inProject(), file, 'typescript', compiled);
        const code = await readFile(inProject('built', `${name}.js`), 'utf8');
        expect(code).toContain('require("portfolio-access-client")');
        const { key } = await service.fixtures.readablePortfolio();
        const { stdout, stderr } = await promisify(execFile)(
          execPath,
          [inProject('built', `${name}.js`), service.url],
          { env: { PORTFOLIO_ACCESS_KEY: key } },
        );
        expect(stderr).toBe('');
        expect(JSON.parse(stdout)).toEqual(['approved', 'company_not_found', true]);
      },
    );
  });

  describe.concurrent.each(compilers)('with %s', (compiler) => {
    // TypeScript 5.9 takes ten times as long as the native compiler, so it runs only in a full run.
    const itInFull = it.skipIf(compiler === 'typescript' && !isFull);

    async function compilesAlone(options: object) {
      const { errors, packages } = await compile(consumer.folder, 'tour.ts', compiler, options);
      expect(errors).toBe('');
      const reached = packages.filter((name) => !/^(@types\/node|undici-types)$/.test(name));
      expect(reached).toEqual(['portfolio-access-client']);
    }

    itInFull('compiles on Node without the DOM, and its types refer to no other package', () =>
      compilesAlone({ ...nodenext, ...node }),
    );

    itInFull.each([
      ['on the web, as Node resolves', { ...nodenext, ...web }],
      ['on the web, as bundlers resolve', { ...bundler, ...web }],
      ['on Node 20, without the DOM', { ...bundler, ...node20 }],
    ])('compiles %s, and its types refer to no other package', (_name, options) =>
      compilesAlone(options),
    );

    itInFull(
      'compiles with tRPC’s own client and TanStack Query, which accept its router type',
      async () => {
        const folder = inConsumer('..', compiler);
        await mkdir(join(folder, 'node_modules'), { recursive: true });
        await symlink(join(repository, 'node_modules/@trpc'), join(folder, 'node_modules/@trpc'));
        await symlink(
          inConsumer('node_modules/portfolio-access-client'),
          join(folder, 'node_modules/portfolio-access-client'),
        );
        await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
        await copyFile(join(import.meta.dirname, 'own-links.ts.txt'), join(folder, 'own-links.ts'));
        const { errors } = await compile(folder, 'own-links.ts', compiler, { ...nodenext, ...web });
        expect(errors).toBe('');
        const page = await readFile(join(repository, 'docs/trpc.md'), 'utf8');
        const [, example = ''] = /^```ts tanstack\.ts\n(.*?)^```$/ms.exec(page) ?? [];
        expect(example).toContain('useQuery');
        await writeFile(join(folder, 'tanstack.ts'), example);
        for (const name of ['@tanstack', 'react'])
          await symlink(join(repository, 'node_modules', name), join(folder, 'node_modules', name));
        const options = { ...bundler, ...web, ...withoutDeclarations };
        expect((await compile(folder, 'tanstack.ts', compiler, options)).errors).toBe('');
      },
    );
  });

  it('the compiler rejects each marked mistake in the tour', async () => {
    const text = await readFile(inConsumer('tour.ts'), 'utf8');
    await writeFile(inConsumer('bare.ts'), text.replaceAll(/^ *\/\/ @ts-expect-error.*\n/gm, ''));
    const { errors } = await compile(consumer.folder, 'bare.ts', 'typescript-native', {
      ...nodenext,
      ...web,
      ...withoutDeclarations,
    });
    const mistakes = text.match(/@ts-expect-error/g) ?? [];
    expect(errors.match(/^bare\.ts\(/gm)).toHaveLength(mistakes.length);
    expect(errors).toContain(`'"companies:read"' is not assignable`);
  });
});

describe('an editor', () => {
  const metric = `{
    readonly companyId: string;
    readonly key: string;
    readonly label: string;
    readonly currency: string | null;
    readonly period: string;
    readonly source: MetricSource;
    readonly verification: Verification;
    readonly confidence: string;
    readonly value: string;
    readonly rawValue: string;
    readonly category: string;
    readonly asOf: string;
    readonly revision: number;
}`;

  it('shows plain objects and the description of each procedure', () => {
    const hover = createHover(inConsumer('tour.ts'));
    expect(hover('const [metrics').type).toBe(`const metrics: ${metric}[]`);
    expect(hover('const [metrics, cash').type).toBe(`const cash: ${metric}`);
    expect(hover('client.metrics.latest.query').type).toBe(`(method) query(input: {
    companyId: string;
    keys?: string[] | null | undefined;
}, options?: CallOptions | undefined): Promise<${metric}[]>`);
    expect(hover('client.metrics.latest').documentation).toContain('the latest value of each');
    expect(hover('client.companies.list.query').type).toMatch(
      /query\(input\?: \{\n {4}access\?: (?:"\w+" \| ){4}undefined;\n\}/,
    );
    expect(hover('const client').type).toBe('const client: PortfolioAccessClient');
    expect(hover('cash.rawValue').documentation).toContain('every digit of the source');
    for (const place of ['client.metrics', 'client.accessRequests.create.mutate', 'companies: C'])
      expect(hover(place).type).not.toMatch(
        /TRPC|Procedure|Record<|Received|Serialize|Simplify|infer|\bany\b/,
      );
    expect(hover('error.data.code').type).toBe(
      '(property) ErrorData.code: ErrorCode | (string & {})',
    );
    expect(hover("error.data.code === 'a").offers).toContain('access_pending');
  });
});

describeTour(() => ({ folder: consumer.folder, service }));

describe('the documentation for TypeScript services', () => {
  it.each(['client/README.md', 'docs/trpc.md', 'docs/live-updates.md'])(
    '%s compiles and prints the documented output with the demo',
    async (path) => {
      const page = await readFile(join(repository, path), 'utf8');
      const blocksOf = (language: string) =>
        [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
          ([, block = '']) => block,
        );
      const code = blocksOf('ts').join('\n').replaceAll('http://127.0.0.1:3000', demo.url);
      expect(code).toContain(demo.url);
      await writeFile(inConsumer('page.ts'), code);
      const options = { ...nodenext, ...node, ...withoutDeclarations };
      const { errors } = await compile(consumer.folder, 'page.ts', 'typescript-native', options);
      expect(errors).toBe('');
      const key = (await demo.waitFor(/^ +svc_sk_test_\w+$/)).trim();
      const { stdout, stderr } = spawnSync(process.execPath, [inConsumer('built/page.js')], {
        encoding: 'utf8',
        env: { PORTFOLIO_ACCESS_KEY: key },
      });
      expect(stderr).toBe('');
      expect(stdout).toBe(blocksOf('text').join(''));
    },
  );
});
