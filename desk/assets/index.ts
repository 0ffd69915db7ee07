import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyPluginAsync } from 'fastify';
import { scriptType, serveAsset, serveVerifier } from './verifier.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': scriptType,
  '.svg': 'image/svg+xml',
};

const files = [
  'live.js',
  'times.js',
  'progress.js',
  'receipts.js',
  'figures.js',
  'copy.js',
  'choose.js',
  'plot.js',
  'icon.svg',
];

/** The style files in the order in which they are joined into one file. Later styles override earlier ones. */
const styles = ['base', 'frame', 'text', 'boxes', 'tables', 'forms', 'plots'];

const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, name));

const contents: ReadonlyMap<string, Buffer> = new Map([
  ...files.map((name) => [name, read(name)] as const),
  ['style.css', Buffer.concat(styles.map((name) => read(`style/${name}.css`)))],
]);

export const assetsVersion = hash(
  'sha256',
  Buffer.concat([...contents.values()]),
  'base64url',
).slice(0, 12);

export const serveAssets: FastifyPluginAsync = async (app) => {
  for (const [name, bytes] of contents) {
    const type = types[extname(name)] ?? 'application/octet-stream';
    app.get(
      `/${name}`,
      { config: { isPublic: true, operation: 'assets' } },
      serveAsset(type, bytes),
    );
  }
  await app.register(serveVerifier);
};
