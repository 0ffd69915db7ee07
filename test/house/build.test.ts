import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');
const node = promisify(execFile).bind(null, process.execPath);

describe('the package as it is published', () => {
  let folder: string;
  let command: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'build-'));
    command = join(folder, 'dist/gateway/cli/main.js');
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
    await node(['.ci/build.mjs', join(folder, 'dist')], { cwd: repository });
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('runs without the sources and without type stripping', async () => {
    const { stdout } = await node(['--no-strip-types', command, '--help'], { cwd: folder });
    expect(stdout).toContain('portfolio-access');
  });

  it('knows its version', async () => {
    const { version } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
    expect((await node([command, '--version'], { cwd: folder })).stdout).toContain(version);
  });

  it('is where package.json says', async () => {
    const { bin } = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8'));
    expect(join(folder, bin['portfolio-access'])).toBe(command);
  });
});
