import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');
const biome = join(repository, 'node_modules/@biomejs/biome/bin/biome');

describe('the linter', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'environment-'));
    await mkdir(join(folder, '.ci'));
    await copyFile(join(repository, 'biome.json'), join(folder, 'biome.json'));
    await copyFile(join(repository, '.ci/environment.grit'), join(folder, '.ci/environment.grit'));
    await writeFile(join(folder, '.gitignore'), 'node_modules/\n');
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function lint(file: string, text: string): Promise<string> {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `${text}\n`);
    return new Promise((done) => {
      execFile(process.execPath, [biome, 'lint', '.'], { cwd: folder }, (error, stdout, stderr) =>
        done(error === null ? 'passed' : stdout + stderr),
      );
    });
  }

  const readings = [
    ['lint/style/noProcessEnv', 'export const port = process.env.PORT;'],
    ['lint/style/noProcessEnv', 'export const port = globalThis.process.env.PORT;'],
    ['plugin', "import { env } from 'node:process';\nexport const { PORT } = env;"],
    ['plugin', 'export const { cwd, env } = process;'],
    ['plugin', "import * as other from 'node:process';\nexport const { PORT } = other.env;"],
  ] as const;

  it.each(readings)(
    'reports a read of an environment variable outside the configuration, by the rule %s: %s',
    async (rule, text) => {
      const output = await lint('gateway/service.ts', text);
      expect(output).toContain('gateway/service.ts');
      expect(output).toContain(rule);
    },
  );

  it.each(readings)(
    'allows a read of an environment variable in the configuration, by the rule %s: %s',
    async (_rule, text) => {
      expect(await lint('gateway/config.ts', text)).toBe('passed');
    },
  );

  it('allows all other properties of process', async () => {
    expect(await lint('gateway/service.ts', 'export const { pid } = process;')).toBe('passed');
  });
});
