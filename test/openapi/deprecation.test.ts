import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Api } from '../../rest-adapter/api.ts';
import type { Context } from '../../rest-adapter/context.ts';
import type { Endpoint } from '../../rest-adapter/endpoint.ts';
import { serveApi } from '../../rest-adapter/serve-api.ts';
import type { Json } from '../support/http-client.ts';

const publicUrl = 'https://access.example';

const endpoint = (path: string, more: Partial<Endpoint<Context>> = {}): Endpoint<Context> => ({
  method: 'GET',
  path,
  id: `get${path.slice(1)}`,
  tag: 'Reports',
  summary: 'Reads.',
  description: 'Reads what is there.',
  responses: { 200: { description: 'It.', schema: z.object({}), example: {} } },
  refusals: [],
  handle: () => ({ status: 200, body: {} }),
  ...more,
});

const going = { since: '2026-12-01', sunset: '2027-06-01', link: '/docs/changelog' };

/** An API of which some will go away. */
const api: Api<Context> = {
  prefix: '/v1',
  title: 'An API',
  summary: 'An API.',
  description: 'An API.',
  tags: { Reports: 'Reports.' },
  credential: { name: 'apiKey', description: 'A key.' },
  webhooks: { dataSchema: 'EventData', example: { created_at: going.since, data: {} } },
  endpoints: [
    endpoint('/stays'),
    endpoint('/goes', { deprecated: going }),
    endpoint('/goes-some-day', { deprecated: { since: '2026-12-01', link: '/docs/api#next' } }),
    endpoint('/breaks', {
      deprecated: going,
      handle: () => {
        throw new Error('broken');
      },
    }),
  ],
  createContext: () => ({}) as Context,
};

const app = fastify();
let document: Json;

beforeAll(async () => {
  await app.register(async (scope) => serveApi(scope, api, () => publicUrl), { prefix: '/v1' });
  document = JSON.parse((await app.inject('/v1/openapi.json')).body);
});
afterAll(() => app.close());

it('an endpoint that will go away says since when, until when, and where to read on', async () => {
  const { headers } = await app.inject('/v1/goes');
  expect(headers).toMatchObject({
    deprecation: `@${Date.UTC(2026, 11, 1) / 1000}`,
    sunset: 'Tue, 01 Jun 2027 00:00:00 GMT',
    link: '<https://access.example/docs/changelog>; rel="deprecation"; type="text/html",<https://access.example/docs/changelog>; rel="sunset"; type="text/html"',
  });
});

it('says no end where none is known, and an endpoint that stays says nothing', async () => {
  const { headers } = await app.inject('/v1/goes-some-day');
  expect(headers.deprecation).toBe('@1796083200');
  expect(headers).not.toHaveProperty('sunset');
  expect(headers.link).not.toContain('sunset');
  const stays = await app.inject('/v1/stays');
  for (const name of ['deprecation', 'sunset', 'link'])
    expect(stays.headers).not.toHaveProperty(name);
});

it('says so in every answer, refusals included', async () => {
  const refused = await app.inject('/v1/goes?surprise=1');
  const broken = await app.inject('/v1/breaks');
  expect([refused.statusCode, broken.statusCode]).toEqual([400, 500]);
  for (const { headers } of [refused, broken]) expect(headers.sunset).toContain('2027');
});

it('is deprecated in the document, with the headers of each of its answers', () => {
  const { get } = document.paths['/v1/goes'];
  expect(get).toMatchObject({
    deprecated: true,
    description: expect.stringContaining(
      '**Deprecated** since 2026-12-01, and gone from 2027-06-01 on.',
    ),
  });
  for (const status of ['200', '400', '401', '429', '500']) {
    const names = Object.keys(get.responses[status].headers);
    expect(names, status).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
  }
  const later = document.paths['/v1/goes-some-day'].get.responses['200'].headers;
  expect(Object.keys(later)).toContain('Deprecation');
  expect(Object.keys(later)).not.toContain('Sunset');
  expect(document.paths['/v1/stays'].get).not.toHaveProperty('deprecated');
});
