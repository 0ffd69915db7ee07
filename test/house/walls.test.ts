import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');
const check = join(repository, '.ci/check-walls.mjs');

describe('the walls of the house', () => {
  let house: string;

  beforeEach(async () => {
    house = await mkdtemp(join(tmpdir(), 'walls-'));
    await symlink(join(repository, 'node_modules'), join(house, 'node_modules'));
    await build(
      'package.json',
      '{"type":"module","imports":{"#core":"./core/index.ts","#db":"./db/index.ts"}}',
    );
    for (const room of [
      'core',
      'db',
      'rest-adapter',
      'graphql-adapter',
      'trpc-adapter',
      'gateway',
    ]) {
      await build(`${room}/index.ts`, `export const room = '${room}';\n`);
    }
  });

  afterEach(() => rm(house, { recursive: true }));

  async function build(file: string, text: string): Promise<void> {
    await mkdir(dirname(join(house, file)), { recursive: true });
    await writeFile(join(house, file), text);
  }

  function inspect(): Promise<{ code: number; output: string }> {
    return new Promise((done) => {
      execFile(process.execPath, [check], { cwd: house }, (error, stdout, stderr) =>
        done({ code: error === null ? 0 : 1, output: stdout + stderr }),
      );
    });
  }

  it('stand when everyone keeps to the doors', async () => {
    await build('rest-adapter/ok.ts', "import { room } from '#core';\nexport const r = room;\n");
    await build('db/ok.ts', "import { room } from '#core';\nexport const r = room;\n");
    expect(await inspect()).toMatchObject({ code: 0 });
  });

  it.each([
    ['core-imports-nothing', 'core/bad.ts', "import '../db/index.ts';"],
    ['core-imports-nothing', 'core/bad.ts', "import 'node:crypto';"],
    [
      'core-imports-nothing',
      'core/bad.ts',
      "import type { Pool } from 'fastify';\nexport type P = Pool;",
    ],
    ['adapters-know-only-the-core', 'rest-adapter/bad.ts', "import '#db';"],
    ['adapters-know-only-the-core', 'trpc-adapter/bad.ts', "import '../rest-adapter/index.ts';"],
    ['adapters-know-only-the-core', 'graphql-adapter/bad.ts', "import '../gateway/index.ts';"],
    ['adapters-know-only-the-core', 'rest-adapter/bad.ts', "import '../core/secret.ts';"],
    ['db-knows-only-the-core', 'db/bad.ts', "import '../rest-adapter/index.ts';"],
    ['db-knows-only-the-core', 'db/bad.ts', "import '../core/secret.ts';"],
    ['enter-by-the-door', 'gateway/bad.ts', "import '../core/secret.ts';"],
    ['resolvable', 'gateway/bad.ts', "import '#nowhere';"],
  ])('refuse %s: %s with %s', async (rule, file, text) => {
    await build('core/secret.ts', 'export const secret = 1;\n');
    await build(file, `${text}\n`);
    const { code, output } = await inspect();
    expect(output).toContain(`${rule}: ${file}`);
    expect(code).toBe(1);
  });

  it('refuse two files that need each other', async () => {
    await build('core/a.ts', "import { b } from './b.ts';\nexport const a = () => b;\n");
    await build('core/b.ts', "import { a } from './a.ts';\nexport const b = () => a;\n");
    expect((await inspect()).output).toContain('no-cycle');
  });

  it('fail when nothing was looked at', async () => {
    for (const room of [
      'core',
      'db',
      'rest-adapter',
      'graphql-adapter',
      'trpc-adapter',
      'gateway',
    ]) {
      await rm(join(house, room, 'index.ts'));
    }
    const { code, output } = await inspect();
    expect(output).toContain('no file was found');
    expect(code).toBe(1);
  });
});
