import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import Negotiator from 'negotiator';
import { addVary, makeInThread, type StaticContent, serveStatic } from '#http';
import { withPolicy } from './policy.ts';
import type { ReferencePart } from './reference.ts';
import { writeReferenceMarkdown } from './reference-markdown.ts';
import { type Api, apis, completeReference } from './reference-page.ts';
import { findSite, serveMissingSite, serveSite } from './site.ts';

const iconFile = new URL('../../desk/assets/icon.svg', import.meta.url);

interface DocsOptions {
  readonly publicUrl: () => string;
  /** Null if the documentation isn't built. */
  readonly site?: string | null;
}

/** The pages load nothing from other hosts. */
export const serveDocs: FastifyPluginAsync<DocsOptions> = async (app, options) => {
  const { publicUrl, site = findSite() } = options;
  serveEntrance(app, publicUrl);
  if (site === null) serveMissingSite(app);
  else serveSite(app, site, publicUrl);
  const icon = async () => ({ type: 'image/svg+xml', bytes: await readFile(iconFile) });
  // Browsers request favicon.ico if a page doesn't name an icon.
  for (const path of ['/favicon.ico', '/favicon.svg']) app.get(path, serveStatic(icon));
  for (const api of apis) serveReference(app, api, publicUrl);
  const script = '/docs/js/scalar.js';
  app.get(
    script,
    serveStatic(() => renderReference(apis[0], script)),
  );
};

/** Redirects browsers to the documentation. Returns an overview to programs. */
function serveEntrance(app: FastifyInstance, publicUrl: () => string): void {
  // /docs/api was the path of an earlier page.
  for (const path of ['/docs', '/docs/api'])
    app.get(path, (_request, reply) => reply.redirect('/docs/', 301));
  app.get('/', async (request, reply) => {
    addVary(reply, 'Accept');
    const type = new Negotiator(request).mediaType(['application/json', 'text/html']);
    if (type === 'text/html') return reply.redirect('/docs/', 302);
    const url = (path: string) => `${publicUrl()}${path}`;
    return {
      object: 'service',
      name: 'Portfolio Access',
      documentation_url: url('/docs/'),
      openapi_urls: apis.map(({ document }) => url(document)),
      graphql_url: url('/graphql'),
      trpc_url: url('/trpc'),
      mcp_url: url('/mcp'),
      keys_url: url('/.well-known/jwks.json'),
    };
  });
}

function serveReference(app: FastifyInstance, api: Api, publicUrl: () => string): void {
  const page = async () => {
    const { type, bytes } = await renderReference(api, '/docs/');
    return withPolicy({ type, bytes: Buffer.from(completeReference(bytes.toString(), api)) });
  };
  const markdown = async (): Promise<StaticContent> => {
    const document = (await app.inject(api.document)).json();
    return {
      type: 'text/markdown; charset=utf-8',
      bytes: Buffer.from(writeReferenceMarkdown(document)),
    };
  };
  app.get(api.reference, serveStatic(page));
  app.get(`${api.reference}.md`, serveStatic(markdown, publicUrl));
  app.get(api.alias, (_request, reply) => reply.redirect(api.document, 301));
}

const renderReference = (api: Api, path: ReferencePart['path']) =>
  makeInThread('./reference', import.meta, { api, path } satisfies ReferencePart);
