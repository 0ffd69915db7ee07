// @module-tag full
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { olderNode } from '../package/older-node.ts';

// What `npm ci` runs at its end: whatever happens there, it must not fail an installation.

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** As npm does, with the first `node` of these folders. */
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

test('where nothing can be written it says so in a line, and fails nothing', () => {
  const { status, stderr } = prepare({
    PATH: dirname(process.execPath),
    TMPDIR: join(folder, 'missing'),
  });
  expect(status).toBe(0);
  expect(stderr).toMatch(aLine);
  expect(stderr).toContain('ENOENT');
});

test('a Node that does not start, as where it is made for another libc, fails nothing', async () => {
  const node = join(folder, 'node');
  await writeFile(node, '#!/bin/sh\nexit 127\n');
  await chmod(node, 0o755);
  const { status, stderr } = prepare({ PATH: folder });
  expect(status).toBe(0);
  expect(stderr).toMatch(aLine);
});

test.skipIf(olderNode === undefined)('an older Node alone fails nothing, and is told', () => {
  const { status, stderr } = prepare({ PATH: dirname(olderNode ?? '') });
  expect(status).toBe(0);
  expect(stderr).toMatch(aLine);
  expect(stderr).toContain('Node 26 is needed, and this is 2');
});

test('beside an older Node, an installation says in a line which one runs the service', () => {
  const { status, stderr } = prepare({
    PATH: dirname(process.execPath),
    npm_config_user_agent: 'npm/11.19.1 node/v20.20.2 linux x64 workspaces/false',
  });
  expect(status).toBe(0);
  expect(stderr).toBe(
    `this machine has Node 20.20.2; the service runs on Node ${process.versions.node}, which came along\n`,
  );
});
