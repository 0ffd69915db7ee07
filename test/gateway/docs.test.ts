import { globSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fastify } from 'fastify';
import { describe, expect, it } from 'vitest';
import { errorCodes } from '#http';
import { internal } from '../../docs/.vitepress/pages.ts';
import { serveDocs } from '../../gateway/docs/index.ts';
import { closedAfterAll } from '../support/closed.ts';
import type { Answer, Json } from '../support/http-client.ts';
import { publicUrl, startService } from '../support/service.ts';

const repository = resolve(import.meta.dirname, '../..');
const names = globSync('docs/*.md', { cwd: repository })
  .map((file) => basename(file, '.md'))
  .filter((name) => name !== 'index' && !internal.includes(name));

const service = await closedAfterAll(startService({ storage: { memory: true } }));

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (path: string, headers = html): Promise<Answer> =>
  service.call('GET', path, { headers });

const linksOf = ({ text }: Answer) =>
  [...text.matchAll(/<(?:a|img|link|script)\b[^>]* (?:href|src)="([^"]+)"/g)].map(
    ([, link = '']) => link,
  );

describe('the start page', () => {
  it('redirects a browser to the documentation', async () => {
    const { status, headers } = await get('/');
    expect([status, headers.location, headers.vary]).toEqual([302, '/docs/', 'Accept']);
  });

  it('lists the addresses of the APIs and the documentation if the client is a program', async () => {
    const { status, body, headers } = await get('/', { accept: '*/*' });
    expect([status, headers.vary]).toEqual([200, 'Accept']);
    expect(body).toMatchObject({ object: 'service', documentation_url: `${publicUrl}/docs/` });
    for (const url of [...body.openapi_urls, body.keys_url, body.documentation_url]) {
      expect((await get(url.replace(publicUrl, ''))).status, url).toBe(200);
    }
  });
});

describe('the documentation', () => {
  it.each([
    ['/docs', '/docs/'],
    ['/docs/api', '/docs/'],
    ['/docs/openapi.json', '/v1/openapi.json'],
    ['/docs/company-openapi.json', '/company/v1/openapi.json'],
  ])('%s redirects to %s', async (path, target) => {
    const { status, headers } = await get(path);
    expect([status, headers.location]).toEqual([301, target]);
  });

  it.each(names)('has %s as a page and as Markdown', async (name) => {
    const page = await get(`/docs/${name}`);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).toContain(`href="/docs/${name}.md" type="text/markdown"`);
    const markdown = await get(`/docs/${name}.md`);
    expect(markdown.headers['content-type']).toBe('text/markdown; charset=utf-8');
    expect(markdown.text).toMatch(/^# \S/);
    expect(markdown.text).not.toMatch(/127\.0\.0\.1:3000|^<!--/m);
    for (const [, link = ''] of markdown.text.matchAll(/\]\(([\w-]+\.md)/g))
      expect((await get(`/docs/${link}`)).status, link).toBe(200);
  });

  it('keeps the description of a diagram in Markdown', async () => {
    const { text } = await get('/docs/consent.md');
    expect(text).toContain('A pending request becomes approved or declined by the company');
    expect(text).not.toContain('![');
  });

  it('has no broken link between pages', async () => {
    const pages = new Map([['/docs/', await get('/docs/')]]);
    const anchors: [page: string, path: string, anchor: string][] = [];
    for (const [page, answer] of pages) {
      for (const link of linksOf(answer)) {
        if (/^(https?|data):/.test(link)) continue;
        const { pathname, hash } = new URL(link, `http://a${page}`);
        if (hash !== '') anchors.push([page, pathname, decodeURIComponent(hash.slice(1))]);
        if (pages.has(pathname)) continue;
        const found = await get(pathname);
        expect(found.status, `${link} on ${page}`).toBe(200);
        pages.set(pathname, found);
      }
    }
    for (const name of names) expect([...pages.keys()]).toContain(`/docs/${name}`);
    expect(anchors.length).toBeGreaterThan(200);
    for (const [page, path, anchor] of anchors)
      expect(pages.get(path)?.text, `${path}#${anchor} on ${page}`).toContain(`id="${anchor}"`);
  });

  it('explains each error code at its own anchor', async () => {
    const { text } = await get('/docs/errors');
    for (const code of errorCodes) expect(text).toContain(`<h2 id="${code}"`);
  });

  it('lets browsers cache a file without a later check only if its name contains a digest', async () => {
    const { text, headers } = await get('/docs/');
    expect(headers['cache-control']).toBe('no-cache');
    const [script = ''] = /\/docs\/assets\/app\.[\w-]+\.js/.exec(text) ?? [];
    const answer = await get(script);
    expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  it('has an icon', async () => {
    for (const path of ['/favicon.ico', '/favicon.svg', '/docs/icon.svg']) {
      const { status, headers } = await get(path);
      expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml']);
    }
  });

  it('lists every page, the skill and the reference in llms.txt', async () => {
    const { text } = await get('/llms.txt');
    expect(text).toMatch(/^# Portfolio Access\n\n> /);
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)/gm)].map(([, link = '']) => link);
    expect(links).toEqual(
      expect.arrayContaining(
        [...names, 'skill', 'reference'].map((name) => `${publicUrl}/docs/${name}.md`),
      ),
    );
    for (const link of links.filter((each) => !each.endsWith('/schema.graphql'))) {
      expect(link.startsWith(`${publicUrl}/`), link).toBe(true);
      expect((await get(link.replace(publicUrl, ''))).status, link).toBe(200);
    }
    for (const path of ['/docs/llms.txt', '/docs/index.md'])
      expect((await get(path)).text).toBe(text);
  });

  it('explains how to build the site if it isn’t built', async () => {
    const app = fastify();
    await app.register(serveDocs, { publicUrl: () => publicUrl, site: null });
    for (const path of ['/docs/', '/docs/errors']) {
      const { statusCode, body } = await app.inject(path);
      expect([statusCode, body]).toEqual([404, expect.stringContaining('npm ci')]);
    }
    expect((await app.inject('/docs')).headers.location).toBe('/docs/');
    await app.close();
  });
});

describe('the reference of an API', () => {
  it('lists each operation and webhook in its Markdown', async () => {
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

  it('links to the documentation and to the other reference, and works under any host name', async () => {
    for (const path of ['/docs/reference', '/docs/company-reference']) {
      const answer = await get(path);
      expect(linksOf(answer)).toEqual(
        expect.arrayContaining(['/docs/', '/docs/reference', '/docs/company-reference']),
      );
      expect(answer.text).toMatch(/"servers":\s*\[\s*\{\s*"url":\s*"\/"\s*\}\s*\]/);
    }
  });
});
