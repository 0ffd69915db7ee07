import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type StaticContent, serveStatic } from '#http';
import { withPolicy } from './policy.ts';

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Returns the folder of the built documentation, in the package or in the repository. Null if it isn't built. */
export const findSite = (): string | null =>
  ['../../site', '../../docs/.vitepress/dist']
    .map((folder) => join(import.meta.dirname, folder))
    .find((folder) => existsSync(join(folder, 'index.html'))) ?? null;

export function serveSite(app: FastifyInstance, folder: string, publicUrl: () => string): void {
  for (const file of globSync('**/*.*', { cwd: folder, exclude: ['404.html'] })) {
    const type = types[extname(file)];
    if (type === undefined) continue;
    const read = async () => toContent(file, type, await readFile(join(folder, file)), publicUrl());
    const serve = serveStatic(read, /\.(md|txt)$/.test(file) ? publicUrl : undefined);
    app.get(addressOf(file), serve);
    if (file === 'llms.txt') app.get('/llms.txt', serve);
  }
}

export function serveMissingSite(app: FastifyInstance): void {
  app.get('/docs/*', (_request, reply) =>
    reply
      .code(404)
      .type('text/plain; charset=utf-8')
      .send('The documentation isn’t built. Run "npm ci" in the repository, then start again.\n'),
  );
}

const addressOf = (file: string): string =>
  `/docs/${file.replace(/(^|\/)index\.html$|\.html$/, '$1')}`;

function toContent(file: string, type: string, bytes: Buffer, publicUrl: string): StaticContent {
  if (file.endsWith('.html')) return withPolicy({ type, bytes });
  if (/\.(md|txt)$/.test(file))
    return { type, bytes: Buffer.from(addressText(bytes.toString(), publicUrl)) };
  // The file name contains a digest of the content, so browsers may cache the file forever.
  if (file.startsWith('assets/'))
    return { type, bytes, headers: { 'cache-control': 'public, max-age=31536000, immutable' } };
  return { type, bytes };
}

const exampleAddress = 'http://127.0.0.1:3000';

/** Replaces the example URL with the service's URL, also in relative links. Programs copy URLs from this text. */
const addressText = (markdown: string, publicUrl: string): string =>
  markdown
    .replaceAll(exampleAddress, () => publicUrl)
    .replaceAll(/\]\((?=\/)/g, () => `](${publicUrl}`);
