import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import type { Answer, Json } from '../support/http-client.ts';
import { publicUrl, startService } from '../support/service.ts';

const repository = resolve(import.meta.dirname, '../..');
const guides = globSync('docs/*.md', { cwd: repository }).map((file) => basename(file, '.md'));

const service = await closedAfterAll(startService({ storage: { memory: true } }));

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (path: string, headers = html): Promise<Answer> =>
  service.call('GET', path, { headers });

const linksOf = ({ text }: Answer) =>
  [...text.matchAll(/<(?:a|img)\b[^>]* (?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);

describe('the start page', () => {
  it('redirects a browser to the documentation', async () => {
    const { status, headers } = await get('/');
    expect([status, headers.location, headers.vary]).toEqual([302, '/docs/', 'Accept']);
  });

  it('lists all addresses for a program', async () => {
    const { status, body, headers } = await get('/', { accept: '*/*' });
    expect([status, headers.vary]).toEqual([200, 'Accept']);
    expect(body).toMatchObject({ object: 'service', documentation_url: `${publicUrl}/docs/` });
    for (const url of [...body.openapi_urls, body.keys_url, body.documentation_url]) {
      expect((await get(url.replace(publicUrl, ''))).status, url).toBe(200);
    }
  });
});

describe('the documentation', () => {
  it('links every guide, the changelog, the schema, both references and their documents', async () => {
    const links = linksOf(await get('/docs/'));
    expect(links).toEqual(
      expect.arrayContaining([
        ...guides.flatMap((name) => [`/docs/${name}`, `/docs/${name}.md`]),
        '/docs/changelog',
        '/docs/reference',
        '/docs/company-reference',
        '/v1/openapi.json',
        '/company/v1/openapi.json',
        '/graphql/schema.graphql',
        '/docs/errors',
        '/docs/skill.md',
      ]),
    );
  });

  it.each([
    ['/docs/openapi.json', '/v1/openapi.json'],
    ['/docs/company-openapi.json', '/company/v1/openapi.json'],
  ])('%s leads to the document at %s', async (path, document) => {
    const { status, headers } = await get(path);
    expect([status, headers.location]).toEqual([301, document]);
  });

  it('has an icon, and a Markdown version of each page', async () => {
    for (const path of ['/favicon.ico', '/favicon.svg']) {
      const { status, headers } = await get(path);
      expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml']);
    }
    const pages = ['/docs/', '/docs/errors', '/docs/reference', '/docs/company-reference'];
    for (const page of [...pages, ...guides.map((name) => `/docs/${name}`)]) {
      const { text } = await get(page);
      expect(text, page).toContain('<link rel="icon" href="/favicon.svg" type="image/svg+xml">');
      const [, markdown = ''] =
        /<link rel="alternate" href="([^"]+)" type="text\/markdown">/.exec(text) ?? [];
      expect(markdown, page).toBe(page === '/docs/' ? '/docs/index.md' : `${page}.md`);
      const answer = await get(markdown);
      expect([answer.status, answer.headers['content-type']], markdown).toEqual([
        200,
        'text/markdown; charset=utf-8',
      ]);
      expect(answer.text, markdown).toMatch(/^# \S/);
    }
  });

  it('lists each operation and webhook of an API in the Markdown of its reference', async () => {
    for (const [path, document] of [
      ['/docs/reference.md', service.document],
      ['/docs/company-reference.md', service.companyDocument],
    ] as const) {
      const { text } = await get(path);
      const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
      const operations = Object.entries<Json>(document.paths).flatMap(([where, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${where}`),
      );
      const messages = Object.keys(document.webhooks).map((name) => `Webhook ${name}`);
      expect(headings).toEqual([...operations, ...messages]);
      expect(text).toContain(`Base address: ${publicUrl}`);
      expect(text).toContain('- 401: `missing_api_key`: ');
      expect(text).not.toMatch(/^- \d+: *$/m);
    }
  });

  it('prints its own address in the examples', async () => {
    let count = 0;
    for (const name of guides) {
      for (const path of [`/docs/${name}`, `/docs/${name}.md`]) {
        const { text } = await get(path);
        expect(text, path).not.toContain('127.0.0.1:3000');
        count += text.split(`${publicUrl}/`).length - 1;
      }
    }
    expect(count).toBeGreaterThan(40);
  });

  it('has no broken link between pages', async () => {
    const pages = new Map([['/docs/', await get('/docs/')]]);
    const anchors: [page: string, path: string, anchor: string][] = [];
    for (const [page, answer] of pages) {
      for (const link of linksOf(answer)) {
        if (/^https?:/.test(link)) continue;
        const { pathname, hash } = new URL(link, `http://a${page}`);
        if (hash !== '') anchors.push([page, pathname, hash.slice(1)]);
        if (pages.has(pathname) || pathname === '/graphql/schema.graphql') continue;
        const found = await get(pathname);
        expect(found.status, `${link} on ${page}`).toBe(200);
        pages.set(pathname, found);
      }
    }
    expect(pages.size).toBeGreaterThan(2 * guides.length);
    expect(anchors.length).toBeGreaterThan(10);
    for (const [page, path, anchor] of anchors) {
      expect(pages.get(path)?.text, `${path}#${anchor} on ${page}`).toContain(`id="${anchor}"`);
    }
  });

  it.each(guides)('shows %s as a page, and as Markdown', async (name) => {
    const text = await readFile(join(repository, 'docs', `${name}.md`), 'utf8');
    const page = await get(`/docs/${name}`);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const headings = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ /gm)];
    expect([...page.text.matchAll(/<h\d id="/g)]).toHaveLength(headings.length);
    const markdown = await get(`/docs/${name}.md`);
    expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(markdown.text.split('\n')[0]).toBe(text.split('\n')[0]);
    for (const [, link = ''] of markdown.text.matchAll(/\]\((\/[^)#]*)/g)) {
      expect((await get(link)).status, link).toBe(200);
    }
  });
});

it('llms.txt lists every guide and file for programs', async () => {
  const { text } = await get('/llms.txt');
  expect(text).toMatch(/^# Portfolio Access\n\n> /);
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = '']) => link);
  expect(links).toEqual(
    expect.arrayContaining(guides.map((name) => `${publicUrl}/docs/${name}.md`)),
  );
  for (const link of links.filter((each) => !each.endsWith('/schema.graphql'))) {
    expect(link).toMatch(new RegExp(`^${publicUrl}/`));
    expect((await get(link.replace(publicUrl, ''))).status, link).toBe(200);
  }
});

describe('the search', () => {
  const search = (query: string, form = '') =>
    get(`/docs/search${form}?q=${encodeURIComponent(query)}`);
  const found = async (query: string) =>
    [...(await search(query)).text.matchAll(/<li><a href="([^"]+)"/g)].map(([, link]) => link);

  it('is a form on every page that works without scripts', async () => {
    for (const path of ['/docs/', '/docs/api', '/docs/errors', '/docs/search']) {
      const { text, headers } = await get(path);
      expect(text, path).toContain('<form action="/docs/search" role="search">');
      expect(headers['content-security-policy'], path).toContain("form-action 'self'");
    }
  });

  it.each([
    ['access_required', '/docs/errors#access_required'],
    ['receive webhooks', '/docs/webhooks#receive-it'],
    ['how do I verify a signature', '/docs/verification'],
    ['idempotncy', '/docs/errors#idempotency_key_reused'],
    ['map of the repository', '/docs/map'],
  ])('finds %s', async (query, address) => {
    expect(await found(query)).toContain(address);
  });

  it('links existing sections and marks the matches', async () => {
    const { text } = await search('rate limit');
    const links = await found('rate limit');
    expect(links.length).toBeGreaterThan(5);
    expect(text).toMatch(/<mark>rate<\/mark>/i);
    for (const link of links) {
      const [path = '', anchor] = link?.split('#') ?? [];
      const page = await get(path);
      expect(page.status, link).toBe(200);
      if (anchor !== undefined) expect(page.text, link).toContain(`id="${anchor}"`);
    }
  });

  it('answers programs in Markdown with full addresses', async () => {
    const { text, headers } = await search('rate limit', '.md');
    expect(headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(text).toContain(`](${publicUrl}/docs/api.md#rate-limit) (`);
  });

  it.each(['', '   ', '<script>alert(1)</script>', '"><img src=x>', '(.*)+[', 'x'.repeat(5_000)])(
    'shows %j as text and still works',
    async (query) => {
      const { status, text } = await search(query);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<script|<img/);
      expect((await search(query, '.md')).status).toBe(200);
    },
  );

  it('accepts exactly one query', async () => {
    for (const query of ['', '?q=a&q=b', '?q[a]=b']) {
      const { status, text } = await get(`/docs/search${query}`);
      expect([status, text.includes('Type a word or two')]).toEqual([200, true]);
    }
  });
});
