import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { openOwnDatabase } from './database.ts';
import { runCommand } from './harness.ts';

const { composition, folder } = await closedAfterAll(
  openOwnDatabase((own) => ({ SIGNING_KEY_FILE: join(own, 'signing-key.json') })),
);

const run = (...commandLine: string[]) => runCommand(commandLine, { composition });
const json = async (...commandLine: string[]) => (await run(...commandLine, '--json')).json;
const list = async () => (await json('signing-key', 'list')).data;

const thumbprint = expect.stringMatching(/^[\w-]{43}$/);
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a signing key is listed, rotated and retired', async () => {
  expect(await list()).toEqual([]);
  await composition.operatorUseCases.rotateSigningKey();
  const first = {
    kid: thumbprint,
    x: thumbprint,
    state: 'current',
    created_at: instant,
    signs_at: instant,
    retired_at: null,
  };
  expect(await json('signing-key', 'list')).toEqual({
    object: 'list',
    data: [first],
    has_more: false,
  });
  const [{ kid: previous }] = await list();

  const { kid, ...rest } = await json('signing-key', 'rotate');
  expect({ kid, ...rest }).toEqual({
    kid: thumbprint,
    previous_kid: previous,
    signs_at: instant,
  });
  expect(await list()).toEqual([
    { ...first, kid: previous },
    { ...first, kid, state: 'next' },
  ]);
  expect(await run('signing-key', 'rotate')).toMatchObject({
    exitCode: 1,
    stderr: `error: the key ${kid} signs from ${rest.signs_at} on; wait until then, or use --now\n`,
  });
  expect((await json('signing-key', 'register', '--now')).kid).toBe(kid);
  expect(await list()).toEqual([
    { ...first, kid: previous, state: 'previous' },
    { ...first, kid },
  ]);
  expect(await run('signing-key', 'retire', kid)).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: `error: the key ${kid} signs now; rotate it first\n`,
  });

  expect(await json('signing-key', 'retire', previous)).toEqual({ kid: previous, retired: true });
  expect(await list()).toEqual([
    { ...first, kid: previous, state: 'retired', retired_at: instant },
    { ...first, kid },
  ]);
  expect((await run('signing-key', 'retire', previous)).stdout).toBe(`${previous} is retired.\n`);
});

test('signing-key prints which key signs now, and prints no secret', async () => {
  const before = (await list()).at(-1).kid;
  const { stdout } = await run('signing-key', 'rotate', '--now');
  const { d, kid } = JSON.parse(await readFile(join(folder, 'signing-key.json'), 'utf8'));
  expect(stdout).toContain(`${kid} is the new signing key.\nSignatures of ${before} can still`);
  expect(stdout).toContain(`${kid} signs now.`);
  const listed = await run('signing-key', 'list');
  expect(listed.stdout).toMatch(new RegExp(`${kid}\\s+current`));
  expect(stdout + listed.stdout + JSON.stringify(await list())).not.toContain(d);
});

test('an unknown signing key is rejected, even if its ID looks like an option', async () => {
  expect(await run('signing-key', 'retire', 'none')).toMatchObject({
    exitCode: 1,
    stderr: 'error: the signing key none doesn’t exist\n',
  });
  expect(await run('signing-key', 'retire', '--', '-none')).toMatchObject({
    exitCode: 1,
    stderr: 'error: the signing key -none doesn’t exist\n',
  });
  expect(await run('signing-key', 'retire')).toMatchObject({ exitCode: 2 });
  expect(await run('signing-key', 'rotate', 'more')).toMatchObject({ exitCode: 2 });
});

test('signing-key rotate doesn’t overwrite a file that contains no key', async () => {
  const file = join(folder, 'signing-key.json');
  const kept = await readFile(file);
  await writeFile(file, 'my notes');
  expect(await run('signing-key', 'rotate')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error: the signing key \S+ contains neither PEM nor a JWK;/),
  });
  expect(await readFile(file, 'utf8')).toBe('my notes');
  await writeFile(file, kept);
});
