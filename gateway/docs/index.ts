import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import {
  addVary,
  clientNetworkOf,
  limits,
  makeInThread,
  type StaticContent,
  serveStatic,
  turns,
} from '#http';
import { type ApiAddresses, apis, skillPath } from './addresses.ts';
import { renderErrorsPage, writeErrorsMarkdown } from './errors-page.ts';
import { type Guide, guideGroups, picturePath, pictures, skillFile } from './guides.ts';
import { renderIndexPage, writeLlmsText } from './index-page.ts';
import { addressMarkdown, renderMarkdown, withAddress } from './markdown.ts';
import { iconPath, renderPage, searchPath } from './page.ts';
import type { ReferencePart } from './reference.ts';
import { writeReferenceMarkdown } from './reference-markdown.ts';
import { completeReference } from './reference-page.ts';
import { createSearch, renderSearchPage, type Search, writeSearchMarkdown } from './search.ts';

const iconFile = new URL('../../desk/assets/icon.svg', import.meta.url);

interface DocsOptions {
  /** The public address of the service, without a trailing slash. */
  readonly publicUrl: () => string;
}

/** Serves the documentation without loading anything from other hosts. Pages are made on first request. */
export const serveDocs: FastifyPluginAsync<DocsOptions> = async (app, { publicUrl }) => {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, open: true };
  });
  const serve: Serve = (path, make, key) => app.get(path, serveStatic(make, key));
  serveEntrance(app, publicUrl);
  const icon = async () => ({ type: 'image/svg+xml', bytes: await readFile(iconFile) });
  // Browsers request this one if a page names none.
  for (const path of ['/favicon.ico', iconPath]) serve(path, icon);
  const llmsText = () => writeLlmsText(guideGroups, publicUrl());
  serve('/docs/', () => toPage(renderIndexPage(guideGroups)));
  serve('/llms.txt', () => toText('text/plain', llmsText()), publicUrl);
  serve('/docs/index.md', () => toMarkdown(llmsText()), publicUrl);
  const guides = guideGroups.flatMap((group) => group.guides);
  for (const guide of guides) serveGuide(serve, guide, guides, publicUrl);
  if (skillFile !== null) {
    const skill = skillFile;
    serve(skillPath, () => readMarkdown(skill, publicUrl), publicUrl);
  }
  serveSearch(app, publicUrl);
  for (const picture of pictures) {
    const read = async () => ({ type: 'image/png', bytes: await readFile(picturePath(picture)) });
    serve(`/docs/images/${picture}`, read);
  }
  for (const api of apis) serveApiFiles(app, serve, api, publicUrl);
  const script = '/docs/js/scalar.js';
  serve(script, () => renderReference(apis[0] as ApiAddresses, script));
  serve('/docs/errors', () => toPage(renderErrorsPage()));
  serve('/docs/errors.md', () => toMarkdown(writeErrorsMarkdown()));
};

/** Serves content that is made on first request, and again when its key changes. */
type Serve = (path: string, ...given: Parameters<typeof serveStatic>) => void;

/** Redirects browsers to the documentation, and returns an overview to programs. */
function serveEntrance(app: FastifyInstance, publicUrl: () => string): void {
  app.get('/docs', (_request, reply) => reply.redirect('/docs/', 301));
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

function serveGuide(
  serve: Serve,
  { name, file, title }: Guide,
  guides: readonly Guide[],
  publicUrl: () => string,
): void {
  const read = async () => withAddress(await readFile(file, 'utf8'), publicUrl());
  const isServed = (other: string) => guides.some((guide) => guide.name === other);
  const page = async () => {
    const body = renderMarkdown(await read(), isServed);
    return toPage(renderPage(title, body, `/docs/${name}.md`));
  };
  serve(`/docs/${name}`, page, publicUrl);
  serve(`/docs/${name}.md`, () => readMarkdown(file, publicUrl), publicUrl);
}

const readMarkdown = async (file: string, publicUrl: () => string) =>
  toMarkdown(addressMarkdown(withAddress(await readFile(file, 'utf8'), publicUrl())));

/** The index is made on the first search. */
function serveSearch(app: FastifyInstance, publicUrl: () => string): void {
  let search: Promise<Search> | undefined;
  const find = async (request: FastifyRequest) => {
    const { q } = request.query as { q?: unknown };
    const asked = typeof q === 'string' ? q : '';
    search ??= createSearch(publicUrl()).catch((error: unknown) => {
      search = undefined;
      throw error;
    });
    const findSections = await search;
    // A search needs no credential, so searches take turns.
    await turns.begin(limits.eventLoop.perSearch, clientNetworkOf(request));
    return { asked, found: findSections(asked) };
  };
  const send = (reply: FastifyReply, { type, bytes, headers }: StaticContent) =>
    reply
      .headers({ 'cache-control': 'no-cache', ...headers })
      .type(type)
      .send(bytes);
  app.get(searchPath, async (request, reply) => {
    const { asked, found } = await find(request);
    return send(reply, toPage(renderSearchPage(asked, found)));
  });
  app.get(`${searchPath}.md`, async (request, reply) => {
    const { asked, found } = await find(request);
    return send(reply, toMarkdown(writeSearchMarkdown(asked, found, publicUrl())));
  });
}

const renderReference = (api: ApiAddresses, path: ReferencePart['path']) =>
  makeInThread('./reference', import.meta, { api, path } satisfies ReferencePart);

/** Serves the reference of an OpenAPI document. */
function serveApiFiles(
  app: FastifyInstance,
  serve: Serve,
  api: ApiAddresses,
  publicUrl: () => string,
): void {
  const markdown = `${api.reference}.md`;
  serve(api.reference, async () => {
    const { type, bytes } = await renderReference(api, '/docs/');
    return withPolicy({ type, bytes: Buffer.from(completeReference(bytes.toString(), markdown)) });
  });
  const read = async () => (await app.inject(api.document)).json();
  serve(markdown, async () => toMarkdown(writeReferenceMarkdown(await read())), publicUrl);
  app.get(api.alias, (_request, reply) => reply.redirect(api.document, 301));
}

const toText = (type: string, text: string): StaticContent => ({
  type: `${type}; charset=utf-8`,
  bytes: Buffer.from(text),
});

const toMarkdown = (text: string) => toText('text/markdown', text);

const toPage = (html: string) => withPolicy(toText('text/html', html));

const inlineScript = /<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs;

/**
 * A content security policy: the page may load and call only this service, and run only the given and its inline
 * script.
 */
function withPolicy({ type, bytes }: StaticContent): StaticContent {
  const scripts = [...bytes.toString().matchAll(inlineScript)].map(
    ([, script = '']) => `'sha256-${hash('sha256', script, 'base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
  const headers = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' };
  return { type, bytes, headers };
}
