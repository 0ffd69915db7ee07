import { execFile, fork, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDataDir } from '../support/databases.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startServiceProcess } from '../support/processes.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Consumer, clientPackages, createConsumer, repository } from './consumer.ts';
import { createHover } from './hover.ts';

let consumer: Consumer;
let service: TestService;
let serverPackages: string[];

const inConsumer = (...path: string[]) => join(consumer.folder, ...path);

beforeAll(async () => {
  consumer = await createConsumer();
  if (consumer.notInstalled !== null)
    console.error(`\nSKIPPED: npm install of the tarball: ${consumer.notInstalled}\n`);
  for (const name of ['@types/node', 'undici-types'])
    await cp(join(repository, 'node_modules', name), inConsumer('node_modules', name), {
      recursive: true,
    });
  await copyFile(join(import.meta.dirname, 'tour.ts.txt'), inConsumer('tour.ts'));
  await copyFile(join(import.meta.dirname, 'run.mjs.txt'), inConsumer('run.mjs'));
  const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
  serverPackages = Object.keys(manifest.dependencies).filter(
    (name) => !clientPackages.includes(name),
  );
  expect(serverPackages).toContain('fastify');
  service = await startService({ storage: { memory: true } });
}, 300_000);
afterAll(async () => {
  await service?.close();
  await consumer?.remove();
});

const compilers = ['typescript', 'typescript-native'] as const;

const web = { types: [] };
const node = { types: ['node'], lib: ['esnext'] };
const node20 = { types: ['node'], lib: ['es2023'], target: 'es2023' };

const nodenext = { module: 'nodenext' };
const bundler = { module: 'esnext', moduleResolution: 'bundler' };

/** Compiles a file of the consumer, everything strict and no library skipped. */
async function compile(
  file: string,
  compiler: (typeof compilers)[number],
  options: object,
): Promise<{ errors: string; packages: string[] }> {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    target: 'esnext',
    outDir: 'built',
    listFiles: true,
    ...options,
  };
  await writeFile(inConsumer('tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
  const bin = join(repository, 'node_modules', compiler, 'bin/tsc');
  const told = await new Promise<string>((done) => {
    execFile(process.execPath, [bin, '-p', '.'], { cwd: consumer.folder }, (_error, stdout) =>
      done(stdout),
    );
  });
  const lines = told.split('\n').filter((line) => line !== '');
  const isFile = (line: string) => /^\S+\.ts$|^\S+\.[cm]ts$/.test(line) && existsSync(line);
  const packages = lines.filter(isFile).flatMap((line) => packageOf(line) ?? []);
  return {
    errors: lines.filter((line) => !isFile(line)).join('\n'),
    packages: [...new Set(packages)].sort(),
  };
}

/** The package of the consumer that a file belongs to; null for its own files and those of the compiler. */
function packageOf(path: string): string | null {
  const [, inside] = path.split(`${consumer.folder}/node_modules/`);
  return /^(?:@[^/]+\/)?[^/]+/.exec(inside ?? '')?.[0] ?? null;
}

describe('the packed client', () => {
  it('is installed by npm', ({ skip }) => {
    skip(consumer.notInstalled !== null, `npm install: ${consumer.notInstalled}`);
    expect(existsSync(inConsumer('node_modules/portfolio-access/dist/trpc-adapter'))).toBe(true);
  });

  it('leaves the rest of the package inside', () => {
    const inside = "import('portfolio-access/dist/gateway/service.js')";
    const { status, stderr } = spawnSync(process.execPath, ['-e', inside], {
      cwd: consumer.folder,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  describe.each(compilers)('compiles with %s', (compiler) => {
    it.each([
      ['on the web, as Node resolves', { ...nodenext, ...web }],
      ['on the web, as bundlers resolve', { ...bundler, ...web }],
      ['on Node, without the DOM', { ...nodenext, ...node }],
      ['on Node 20, without the DOM', { ...bundler, ...node20 }],
    ])('%s, and its types reach nothing of the server', async (_name, options) => {
      const { errors, packages } = await compile('tour.ts', compiler, options);
      expect(errors).toBe('');
      const reached = packages.filter((name) => !/^(@types\/node|undici-types)$/.test(name));
      expect(reached).toEqual(['@trpc/server', 'portfolio-access', 'zod']);
      for (const name of reached) expect(serverPackages).not.toContain(name);
    });
  });

  it('refuses what is wrong: each mistake of the tour is one', async () => {
    const text = await readFile(inConsumer('tour.ts'), 'utf8');
    await writeFile(inConsumer('bare.ts'), text.replaceAll(/^ *\/\/ @ts-expect-error.*\n/gm, ''));
    const { errors } = await compile('bare.ts', 'typescript-native', { ...nodenext, ...web });
    const mistakes = text.match(/@ts-expect-error/g) ?? [];
    expect(errors.match(/^bare\.ts\(/gm)).toHaveLength(mistakes.length);
    expect(errors).toContain(`"no_such_code"' have no overlap`);
  });
});

describe('an editor', () => {
  const metric = `{
    readonly companyId: string;
    readonly key: string;
    readonly label: string;
    readonly currency: string | null;
    readonly period: string;
    readonly source: {
        readonly system: string;
        readonly method: string;
        readonly lastSynced: string;
    };
    readonly verification: Verification;
    readonly confidence: string;
    readonly value: string;
    readonly rawValue: Decimal;
    readonly category: string;
    readonly asOf: string;
}`;

  it('shows plain objects, and what each procedure is for', () => {
    const hover = createHover(inConsumer('tour.ts'));
    expect(hover('const [metrics').type).toBe(`const metrics: ${metric}[]`);
    expect(hover('const [metrics, cash').type).toBe(`const cash: ${metric}`);
    expect(hover('client.metrics.latest.query').type).toBe(`(method) query(input: {
    companyId: string;
    keys?: string[] | null | undefined;
}, options?: CallOptions | undefined): Promise<${metric}[]>`);
    expect(hover('client.metrics.latest').documentation).toContain('The latest value of every');
    expect(hover('client.companies.list.query').type).toContain(
      'query(input?: {\n    access?: "approved" | "none" | "pending" | "revoked" | undefined;\n}',
    );
    expect(hover('const client').type).toBe('const client: PortfolioAccessClient');
    for (const place of ['client.metrics', 'client.accessRequests.create.mutate', 'companies: C'])
      expect(hover(place).type).not.toMatch(
        /TRPC|Procedure|Record<|Serialize|Simplify|infer|\bany\b/,
      );
    expect(hover('error.data.code').type).toContain('"access_pending"');
  });
});

/** A Node of the machine that is older than the one that runs this. */
const olderNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .filter((path) => !path.includes('node_modules') && existsSync(path))
  .find((path) => {
    const major = Number(/^v(\d+)/.exec(spawnSync(path, ['-v'], { encoding: 'utf8' }).stdout)?.[1]);
    return major >= 20 && major < 26;
  });
if (olderNode === undefined) console.warn('SKIPPED: no Node from 20 to 25 on this machine');

describe('the tour', () => {
  interface Told {
    readonly seen: unknown;
    readonly loaded: readonly string[];
  }

  beforeAll(async () => {
    const { errors } = await compile('tour.ts', 'typescript-native', { ...nodenext, ...node });
    expect(errors).toBe('');
  });

  async function run(execPath: string, ...more: string[]): Promise<Told> {
    const { fixtures, operator } = service;
    const { company, key } = await fixtures.portfolio();
    await importLines(operator, sampleData(company.id));
    const child = fork(inConsumer('run.mjs'), [service.url, key, ...more], {
      execPath,
      execArgv: [],
      cwd: consumer.folder,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    child.stdout?.on('data', (text) => (output += String(text)));
    child.stderr?.on('data', (text) => (output += String(text)));
    return new Promise((done, fail) => {
      child.on('message', async (message: { what?: 'approve' | 'revoke'; id: string } & Told) => {
        if (message.what === undefined) return done(message);
        if (message.what === 'approve') await operator.approveAccessRequest(message.id, {});
        else await operator.revokeAccessRequest(message.id);
        child.send({});
      });
      child.on('exit', (code) => fail(new Error(`ended with ${code}: ${output}`)));
    });
  }

  const expected = {
    access: 'none',
    early: 'access_required',
    outcome: 'created',
    pending: 'access_pending',
    keys: ['cash_balance', 'headcount'],
    exact: '990000.25',
    asOf: '2026-10-31T23:59:59.000Z',
    currency: 'USD',
    signature: null,
    expires: true,
    periods: ['2026-09-30', '2026-10-31'],
    providers: expect.arrayContaining(['mercury', 'gusto']),
    lastFour: expect.arrayContaining(['4821', null]),
    granted: ['metrics:read', 'sources:read', 'accounts:read'],
    late: 'access_revoked',
    status: 1,
  };

  it('walks the whole way with Node’s own fetch, and loads nothing of the server', async () => {
    const { seen, loaded } = await run(process.execPath);
    expect(seen).toEqual(expected);
    const files = loaded.filter((address) => address.startsWith('file:'));
    const paths = files.map((address) => new URL(address).pathname);
    expect(new Set(paths.flatMap((path) => packageOf(path) ?? []))).toEqual(
      new Set(['portfolio-access', '@trpc/client', '@trpc/server']),
    );
    const own = paths.filter((path) => packageOf(path) === 'portfolio-access');
    expect(own.map((path) => path.split('/portfolio-access/')[1])).toEqual([
      'dist/trpc-adapter/client.js',
    ]);
    expect(
      loaded.filter((address) => !address.startsWith('file:')),
      'nothing of Node itself',
    ).toEqual([]);
  });

  it('walks it where there is no process', async () => {
    expect((await run(process.execPath, 'bare')).seen).toEqual(expected);
  });

  it.skipIf(olderNode === undefined)('walks it on an older Node', async () => {
    expect((await run(olderNode ?? '')).seen).toEqual(expected);
  });
});

describe('the page for TypeScript services', () => {
  it('compiles and prints what it says, against the demo', async () => {
    const page = await readFile(join(repository, 'docs/trpc.md'), 'utf8');
    const blocksOf = (language: string) =>
      [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
        ([, block = '']) => block,
      );
    const dataDir = await createDataDir();
    const demo = await startServiceProcess({ DEMO: 'on', DATA_DIR: dataDir.path });
    try {
      const key = (await demo.waitFor(/^ +svc_sk_test_\w+$/)).trim();
      const code = blocksOf('ts').join('\n').replaceAll('http://127.0.0.1:3000', demo.url);
      expect(code).toContain(demo.url);
      await writeFile(inConsumer('page.ts'), code);
      const { errors } = await compile('page.ts', 'typescript-native', { ...nodenext, ...node });
      expect(errors).toBe('');
      const { stdout, stderr } = spawnSync(process.execPath, [inConsumer('built/page.js')], {
        encoding: 'utf8',
        env: { PORTFOLIO_ACCESS_KEY: key },
      });
      expect(stderr).toBe('');
      expect(stdout).toBe(blocksOf('text').join(''));
    } finally {
      await demo.stop();
      await dataDir.remove();
    }
  });
});
