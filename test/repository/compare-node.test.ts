// @module-tag full
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const repository = resolve(import.meta.dirname, '../..');
const { optionalDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
const versions = Object.entries<string>(optionalDependencies).filter(([name]) =>
  name.startsWith('node-'),
);
const [[first, version]] = versions as [[string, string]];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compare-node-'));
  for (const [name] of versions) writeArchive(`${name}.tgz`, 'package/bin/node', `Node ${name}`);
  // Replaces npm. Its registry contains every package, with the digest in the lock file.
  const npm = `#!/usr/bin/env node
    const { copyFileSync, readFileSync } = require('node:fs');
    const [command, what, , , destination] = process.argv.slice(2);
    if (command === 'view') { console.log(${JSON.stringify(version)}); process.exit(); }
    const name = what.slice(0, what.lastIndexOf('@'));
    copyFileSync(\`${folder}/\${name}.tgz\`, \`\${destination}/\${name}.tgz\`);
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
    const integrity = process.env.OTHER === name ? 'sha512-other' : packages[\`node_modules/\${name}\`].integrity;
    console.log(JSON.stringify([{ filename: \`\${name}.tgz\`, integrity }]));`;
  writeFileSync(join(folder, 'npm'), npm);
  await chmod(join(folder, 'npm'), 0o755);
});
afterAll(() => rm(folder, { recursive: true }));

function writeArchive(archive: string, path: string, text: string) {
  const place = join(folder, 'staged');
  mkdirSync(join(place, dirname(path)), { recursive: true });
  writeFileSync(join(place, path), text);
  execFileSync('tar', ['-czf', join(folder, archive), '-C', place, path]);
  return readFileSync(join(folder, archive));
}

/** Mirrors the Node project's archives. `texts` contains the content of each package's archive. */
async function startMirror(texts: Record<string, string> = {}, damaged = '') {
  const files = new Map<string, Buffer | string>();
  for (const [name, version] of versions) {
    const root = `node-v${version}-${name.replace(/^node-(bin-)?/, '')}`;
    const archive = writeArchive(
      'official.tar.gz',
      `${root}/bin/node`,
      texts[name] ?? `Node ${name}`,
    );
    const digest = createHash('sha256')
      .update(archive)
      .update(name === damaged ? 'x' : '');
    const sums = `/v${version}/SHASUMS256.txt`;
    files.set(`/v${version}/${root}.tar.gz`, archive);
    files.set(sums, `${files.get(sums) ?? ''}${digest.digest('hex')}  ${root}.tar.gz\n`);
  }
  const server = createServer(({ url = '' }, response) => {
    const file = files.get(url);
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function compare(mirror: string, env: Record<string, string> = {}) {
  const PATH = [folder, process.env.PATH].join(delimiter);
  const options = { cwd: repository, env: { ...process.env, ...env, PATH } };
  const { code = 0, stdout } = await promisify(execFile)(
    process.execPath,
    ['.ci/compare-node.mjs', mirror],
    options,
  ).catch((error) => error);
  return { code, lines: stdout.trim().split('\n') as string[] };
}

describe('the Node of the packages, compared with the official Node', () => {
  it('is reported as equal for every platform', async () => {
    const { code, lines } = await compare(await startMirror());
    expect(code).toBe(0);
    expect(lines).toHaveLength(versions.length);
    for (const line of lines) expect(line).toMatch(/: [0-9a-f]{64}, as the official one$/);
  });

  it.each([
    ['is another Node', { [first]: 'Another' }, '', {}, 'but the official one is '],
    ['is compared with a damaged archive', {}, first, {}, 'is damaged'],
    [
      'isn’t the package in the lock file',
      {},
      '',
      { OTHER: first },
      'the package is not the one of the lock file',
    ],
  ])('is refused if it %s', async (_, texts, damaged, env, reason) => {
    const { code, lines } = await compare(
      await startMirror(texts as Record<string, string>, damaged),
      env,
    );
    expect(code).toBe(1);
    expect(lines.filter((line) => !line.endsWith('as the official one'))).toEqual([
      expect.stringMatching(new RegExp(`^${first} ${version}: .*${reason}`)),
    ]);
  });

  it('isn’t reported as equal if the official Node can’t be downloaded', async () => {
    const { code, lines } = await compare('http://127.0.0.1:1');
    expect(code).toBe(1);
    for (const line of lines) expect(line).toContain('the official one was not reached');
  });
});
