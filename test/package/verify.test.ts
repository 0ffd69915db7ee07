import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiptItem, sampleReceipts, signedSample } from '../verify/samples.ts';
import { exampleKey, jwksOf } from '../verify/signing.ts';
import { bundler, commonJs, compile, compilers, nodenext, withoutDeclarations } from './compile.ts';
import { type Consumer, createConsumer, repository } from './consumer.ts';
import { olderNode } from './older-node.ts';
import { findPublishingProblems } from './publishing.ts';

const given = {
  jwks: jwksOf(exampleKey),
  metric: signedSample(exampleKey),
  receipts: sampleReceipts.map((payload) => receiptItem(payload, exampleKey)),
};
const expected = ['4182300.55', 'field_differs', 'currency', 3, true];
/** Without the types of the DOM and of Node. */
const noTypes = { types: [], lib: ['es2022'] };

let consumer: Consumer;
const inConsumer = (...path: string[]) => join(consumer.folder, ...path);

beforeAll(async () => {
  consumer = await createConsumer('verify', ['jose']);
  await copyFile(join(import.meta.dirname, 'verify.ts.txt'), inConsumer('verify.ts'));
  const { errors } = await compile(consumer.folder, 'verify.ts', 'typescript-native', {
    ...nodenext,
    ...noTypes,
    ...withoutDeclarations,
  });
  expect(errors).toBe('');
}, 300_000);
afterAll(() => consumer?.remove());

/** Removes the globals that exist only in Node. */
async function run(execPath: string, module: string): Promise<unknown> {
  await writeFile(
    inConsumer('run.mjs'),
    `const print = console.log;
     for (const name of ['process', 'global', 'Buffer', 'require']) delete globalThis[name];
     const { verify } = await import('./${module}');
     print(JSON.stringify(await verify(${JSON.stringify(given)})));`,
  );
  const { stdout, stderr } = spawnSync(execPath, ['--no-warnings', inConsumer('run.mjs')], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('the packed verifier', () => {
  it('passes the checks of attw and publint for imports, require and types', async () => {
    expect(await findPublishingProblems(consumer.tarball)).toEqual([]);
  });

  it('installs only itself and jose, in less than 0.5 MB', () => {
    expect(consumer.packages).toEqual([
      'node_modules/jose',
      'node_modules/portfolio-access-verify',
    ]);
    expect(consumer.bytes).toBeLessThan(500_000);
  });

  it('has the same version as the service and contains its licence', async () => {
    const installed = inConsumer('node_modules/portfolio-access-verify');
    const versions = await Promise.all(
      [installed, repository].map(async (folder) => {
        return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')).version;
      }),
    );
    expect(versions[0]).toBe(versions[1]);
    expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toContain('Apache License');
  });

  it('uses the version of jose that the service was tested with', async () => {
    const [ours, its] = await Promise.all(
      ['', 'verify'].map(async (folder) => {
        const text = await readFile(join(repository, folder, 'package.json'), 'utf8');
        return JSON.parse(text).dependencies.jose;
      }),
    );
    expect(its).toBe(`^${ours}`);
  });

  it('can’t be packed before npm ci has run, and the error explains how to continue', () => {
    expect(consumer.refusal).toContain('run "npm ci" in ');
  });

  it('contains code that isn’t minified', async () => {
    const code = await readFile(
      inConsumer('node_modules/portfolio-access-verify/dist/index.js'),
      'utf8',
    );
    expect(code).toContain('async function verifyMetric(');
    const imports = code.match(/^import .*$/gm) ?? [];
    expect(imports).not.toEqual([]);
    expect(imports.filter((line) => !/ from "jose\/[\w/]+";$/.test(line))).toEqual([]);
  });

  it.each(compilers)(
    'compiles with %s without types of the DOM or Node, and its types refer to no other package',
    async (compiler) => {
      for (const resolution of [nodenext, bundler]) {
        const { errors, packages } = await compile(consumer.folder, 'verify.ts', compiler, {
          ...resolution,
          ...noTypes,
        });
        expect(errors).toBe('');
        expect(packages).toEqual(['portfolio-access-verify']);
      }
    },
  );

  it.each(commonJs)(
    'compiles and verifies in a project with CommonJS: %s',
    async (name, options) => {
      const folder = inConsumer('..', name);
      await mkdir(folder);
      await symlink(inConsumer('node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'package.json'), '{}');
      await copyFile(inConsumer('verify.ts'), join(folder, 'verify.ts'));
      for (const compiler of compilers) {
        const { errors } = await compile(folder, 'verify.ts', compiler, { ...options, ...noTypes });
        expect(errors).toBe('');
      }
      expect(await readFile(join(folder, 'built/verify.js'), 'utf8')).toContain('require("');
      expect(await run(process.execPath, `../${name}/built/verify.js`)).toEqual(expected);
    },
  );

  it('verifies without Node’s globals', async () => {
    expect(await run(process.execPath, 'built/verify.js')).toEqual(expected);
  });

  it.skipIf(olderNode === undefined)('verifies on an older Node', async () => {
    expect(await run(olderNode ?? '', 'built/verify.js')).toEqual(expected);
  });

  it('verifies in a web bundle, and adds at most 10 kB to it', async () => {
    const page = await rolldown({ input: inConsumer('built/verify.js'), platform: 'browser' });
    const { output } = await page.write({ file: inConsumer('page.js'), minify: true });
    expect(output).toHaveLength(1);
    expect(output[0].imports).toEqual([]);
    expect(gzipSync(output[0].code).length).toBeLessThan(10_000);
    expect(await run(process.execPath, 'page.js')).toEqual(expected);
  });
});
