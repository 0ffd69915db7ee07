import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isFull } from '../support/property-runs.ts';

const repository = resolve(import.meta.dirname, '../..');
const check = join(repository, '.ci/check-boundaries.mjs');
const folders = [
  'core',
  'db',
  'http',
  'rest-adapter',
  'graphql-adapter',
  'trpc-adapter',
  'mcp-adapter',
  'gateway',
  'verify',
];
const projects: string[] = [];

/** Makes a small project of the files given, and checks its boundaries. */
async function inspect(
  files: Record<string, string>,
): Promise<{ passed: boolean; output: string }> {
  const project = await mkdtemp(join(tmpdir(), 'boundaries-'));
  projects.push(project);
  await symlink(join(repository, 'node_modules'), join(project, 'node_modules'));
  const imports = Object.fromEntries(
    folders.map((folder) => [`#${folder}`, `./${folder}/index.ts`]),
  );
  const dependencies = { '@trpc/client': '*', fastify: '*', jose: '*', zod: '*' };
  const devDependencies = { vitest: '*' };
  const manifest = { type: 'module', imports, dependencies, devDependencies };
  for (const [file, text] of Object.entries({
    ...files,
    'package.json': JSON.stringify(manifest),
  })) {
    await mkdir(dirname(join(project, file)), { recursive: true });
    await writeFile(join(project, file), `${text}\n`);
  }
  return new Promise((done) => {
    execFile(process.execPath, [check], { cwd: project }, (error, stdout, stderr) =>
      done({ passed: error === null, output: stdout + stderr }),
    );
  });
}

const indexes = Object.fromEntries(
  folders.map((folder) => [`${folder}/index.ts`, `export const offer = '${folder}';`]),
);

afterAll(() => Promise.all(projects.map((project) => rm(project, { recursive: true }))));

describe.skipIf(!isFull)('the boundaries between folders', () => {
  it('pass when each folder imports others by their index', async () => {
    const { passed, output } = await inspect({
      ...indexes,
      'core/model/input.ts': "export { z } from 'zod';",
      'core/use.ts': "export { z } from './model/input.ts';",
      'db/store.ts':
        "export { offer } from '#core';\nexport { createHash } from 'node:crypto';\nexport { DatabaseSync } from 'node:sqlite';",
      'rest-adapter/plugin.ts':
        "export { offer } from '#core';\nexport { fastify } from 'fastify';",
      'gateway/compose.ts':
        "export { offer } from '#core';\nexport * from '#db';\nimport '#rest-adapter';",
    });
    expect(output).toContain('0 failures');
    expect(passed).toBe(true);
  });

  const violations = [
    ['core-imports-nothing', 'core', "import '../db/index.ts';"],
    ['core-imports-nothing', 'core', "import '#gateway';"],
    ['core-imports-nothing', 'core', "import 'node:crypto';"],
    ['core-imports-nothing', 'core', "import 'fastify';"],
    ['core-imports-nothing', 'core', "export type { FastifyInstance } from 'fastify';"],
    ['core-imports-nothing', 'core', "export const late = () => import('fastify');"],
    ['core-imports-nothing', 'core', "export type Imported = typeof import('../db/index.ts');"],
    ['model-stands-on-nothing', 'core/model/consent', "import '../../ports/index.ts';"],
    ['model-stands-on-nothing', 'core/model', "import '../use-cases/consent/decide.ts';"],
    ['ports-stand-on-the-model', 'core/ports', "import '../use-cases/consent/decide.ts';"],
    ['use-cases-know-no-audience', 'core/use-cases/feed', "import '../../audiences/index.ts';"],
    ['audiences-know-no-index', 'core/audiences', "import '../index.ts';"],
    ['adapters-know-the-core-and-http', 'rest-adapter', "import '#db';"],
    ['adapters-know-the-core-and-http', 'rest-adapter', "import '#gateway';"],
    ['adapters-know-the-core-and-http', 'graphql-adapter', "import '#rest-adapter';"],
    ['adapters-know-the-core-and-http', 'trpc-adapter', "import '../graphql-adapter/index.ts';"],
    ['adapters-know-the-core-and-http', 'trpc-adapter', "import '../core/secret.ts';"],
    ['adapters-know-the-core-and-http', 'rest-adapter', "import '../tool.ts';"],
    ['http-knows-only-the-core', 'http', "import '#rest-adapter';"],
    ['http-knows-only-the-core', 'http', "import '#db';"],
    ['db-knows-only-the-core', 'db', "import '#http';"],
    ['db-knows-only-the-core', 'db', "import '#rest-adapter';"],
    ['db-knows-only-the-core', 'db', "import '#gateway';"],
    ['db-knows-only-the-core', 'db', "import '../core/secret.ts';"],
    ['db-knows-only-the-core', 'db', "import '../tool.ts';"],
    ['import-by-index', 'gateway', "import '../core/secret.ts';"],
    ['import-by-index', 'gateway', "import '../db/secret.ts';"],
    ['import-by-subpath-name', 'gateway', "import '../core/index.ts';"],
    ['import-by-subpath-name', 'db', "import '../core/index.ts';"],
    ['client-loads-nothing-of-the-service', 'client', "import '../core/index.ts';"],
    ['client-loads-nothing-of-the-service', 'client', "import '../trpc-adapter/index.ts';"],
    ['client-loads-nothing-of-the-service', 'client', "import 'zod';"],
    ['client-loads-nothing-of-the-service', 'client', "import 'node:crypto';"],
    ['client-knows-two-folders', 'client', "import type {} from '../core/secret.ts';"],
    ['client-knows-two-folders', 'client', "import type {} from '../db/index.ts';"],
    ['client-knows-two-folders', 'client', "import type {} from 'fastify';"],
    ['nobody-needs-the-client', 'gateway', "import '../client/index.ts';"],
    ['nobody-needs-the-client', 'trpc-adapter', "import type {} from '../client/index.ts';"],
    ['verifier-knows-nobody', 'verify', "import type {} from '../core/index.ts';"],
    ['verifier-knows-nobody', 'verify', "import '../db/index.ts';"],
    ['verifier-knows-nobody', 'verify', "import 'node:crypto';"],
    ['verifier-knows-nobody', 'verify', "import 'zod';"],
    ['only-the-command-line-verifies', 'gateway', "import '#verify';"],
    ['only-the-command-line-verifies', 'db', "import type {} from '#verify';"],
    ['import-by-index', 'cli', "import '../verify/secret.ts';"],
    ['no-import-of-tests', 'gateway', "import '../test/helper.ts';"],
    ['no-development-package', 'gateway', "import 'vitest';"],
    ['resolvable', 'gateway', "import '#nowhere';"],
  ] as const;
  const planted = violations.map(([rule, folder, text], index) => {
    return { rule, text, file: `${folder}/planted-${index}.ts` };
  });
  const inspected = inspect({
    ...indexes,
    'core/secret.ts': 'export const secret = 1;',
    'core/ports/index.ts': 'export const port = 1;',
    'core/use-cases/consent/decide.ts': 'export const decide = 1;',
    'core/audiences/index.ts': 'export const audience = 1;',
    'verify/secret.ts': 'export const secret = 1;',
    'db/secret.ts': 'export const secret = 1;',
    'test/helper.ts': 'export const helper = 1;',
    'tool.ts': 'export const tool = 1;',
    'client/index.ts': 'export const client = 1;',
    ...Object.fromEntries(planted.map(({ file, text }) => [file, text])),
  });

  it.each(planted)('refuse by $rule: $file says $text', async ({ rule, file }) => {
    const { passed, output } = await inspected;
    expect(output).toContain(`${rule}: ${file} → `);
    expect(passed).toBe(false);
  });

  it('refuse two folders of use cases that need each other, though no two files do', async () => {
    const { passed, output } = await inspect({
      ...indexes,
      'core/use-cases/consent/ask.ts': "export { list } from '../feed/list.ts';",
      'core/use-cases/consent/decide.ts': 'export const decide = 1;',
      'core/use-cases/feed/list.ts': 'export const list = 1;',
      'core/use-cases/feed/watch.ts': "export { decide } from '../consent/decide.ts';",
    });
    expect(output).toContain('no-circle-of-use-cases: core/use-cases/');
    expect(passed).toBe(false);
  });

  it('let the client know types of the core and of the router, and tRPC', async () => {
    const { passed, output } = await inspect({
      ...indexes,
      'client/index.ts':
        "import type { offer } from '../core/index.ts';\nexport type { offer as router } from '../trpc-adapter/index.ts';\nexport { createTRPCClient } from '@trpc/client';\nexport type { Calls } from './calls.ts';\nexport type Offer = typeof offer;",
      'client/calls.ts': 'export interface Calls {}',
    });
    expect(output).toContain('0 failures');
    expect(passed).toBe(true);
  });

  it('let the verifier have jose, and the command line the verifier', async () => {
    const { passed, output } = await inspect({
      ...indexes,
      'verify/index.ts': "export { compactVerify } from 'jose';",
      'cli/verify.ts': "export { compactVerify } from '#verify';",
    });
    expect(output).toContain('0 failures');
    expect(passed).toBe(true);
  });

  it.each(['import', 'import type'])(
    'refuse two files that need each other by %s',
    async (word) => {
      const { passed, output } = await inspect({
        'core/a.ts': `${word} { B } from './b.ts';\nexport type A = B | 1;`,
        'core/b.ts': `${word} { A } from './a.ts';\nexport type B = A | 2;`,
      });
      expect(output).toContain('no-cycle');
      expect(passed).toBe(false);
    },
  );

  it('fail when an import was not looked at', async () => {
    // Stands in for a parser that no longer understands the language.
    const { passed, output } = await inspect({
      ...indexes,
      'gateway/unread.ts': "/*\nimport { offer } from '#core';\n*/",
    });
    expect(output).toContain('gateway/unread.ts → #core was not looked at');
    expect(passed).toBe(false);
  });

  it('fail when nothing was looked at', async () => {
    const { passed, output } = await inspect({});
    expect(output).toContain('no import was found');
    expect(passed).toBe(false);
  });
});
