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

const files = ['style.css', 'live.js', 'progress.js', 'receipts.js', 'icon.svg'];

const contents = new Map(
  files.map((name) => [name, readFileSync(join(import.meta.dirname, name))] as const),
);

/** Another one whenever any of the assets is. */
export const assetsVersion = hash(
  'sha256',
  Buffer.concat([...contents.values()]),
  'base64url',
).slice(0, 12);

/** Styles and scripts, which are kept by a browser until they have another version. */
export const serveAssets: FastifyPluginAsync = async (app) => {
  for (const [name, bytes] of contents) {
    const type = types[extname(name)] ?? 'application/octet-stream';
    app.get(`/${name}`, { config: { open: true, operation: 'assets' } }, serveAsset(type, bytes));
  }
  await app.register(serveVerifier);
};
