// @module-tag full
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { olderNode } from '../package/older-node.ts';

// `npm ci` runs the script `prepare` at its end, so the script must never make an installation fail.

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Runs the script as npm does, with the first `node` in PATH. */
function prepare(environment: Readonly<Record<string, string>>) {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', scripts.prepare], {
    env: environment,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const aLine = /^nothing is prepared, so the first start takes longer.*\n$/;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prepare-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('npm run prepare prints a line and succeeds if no folder is writable', () => {
  const { status, stderr } = prepare({
    PATH: dirname(process.execPath),
    TMPDIR: join(folder, 'missing'),
  });
  expect(status).toBe(0);
  expect(stderr).toMatch(aLine);
  expect(stderr).toContain('ENOENT');
});

test('npm run prepare succeeds if Node can’t start, for example because it was built for another libc', async () => {
  const node = join(folder, 'node');
  await writeFile(node, '#!/bin/sh\nexit 127\n');
  await chmod(node, 0o755);
  const { status, stderr } = prepare({ PATH: folder });
  expect(status).toBe(0);
  expect(stderr).toMatch(aLine);
});

test.skipIf(olderNode === undefined)(
  'npm run prepare warns and succeeds if only an older Node is installed',
  () => {
    const { status, stderr } = prepare({ PATH: dirname(olderNode ?? '') });
    expect(status).toBe(0);
    expect(stderr).toMatch(aLine);
    expect(stderr).toContain('Node 26 is needed, and this is 2');
  },
);

test('npm run prepare prints which Node runs the service if an older Node is installed', () => {
  const { status, stderr } = prepare({
    PATH: dirname(process.execPath),
    npm_config_user_agent: 'npm/11.19.1 node/v20.20.2 linux x64 workspaces/false',
  });
  expect(status).toBe(0);
  expect(stderr).toBe(
    `this machine has Node 20.20.2; the service runs on its own Node ${process.versions.node}\n`,
  );
});
