import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import type { Json } from '../support/http-client.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const { key, company } = await service.fixtures.readablePortfolio({ rateLimit: 100_000 });
const { secret: companyKey } = await service.operator.createCompanyKey({
  companyId: company.id,
  scopes: ['consents:manage', 'data:read', 'data:write'],
});

const changing = ['post', 'put', 'patch', 'delete'];

const endpointsOf = (document: Json, credential: string) =>
  Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => changing.includes(method))
      .map((method) => ({ method: method.toUpperCase(), path, credential })),
  );

const endpoints = [
  ...endpointsOf(service.document, key),
  ...endpointsOf(service.companyDocument, companyKey),
];

describe.each(endpoints)('$method $path', ({ method, path, credential }) => {
  it.each(['null', '[]', 'true', '1', '"text"'])('refuses a body that is %s', async (raw) => {
    const { status, body } = await service.call(method, path.replaceAll(/\{\w+\}/g, 'x'), {
      key: credential,
      raw,
      headers: { 'content-type': 'application/json', 'content-length': String(raw.length) },
    });
    expect([status, body?.error?.code, body?.error?.message]).toEqual([
      400,
      'invalid_parameter',
      'The input must be an object.',
    ]);
  });
});

it('these tests cover all endpoints with a body in both OpenAPI documents', () => {
  expect(endpoints.length).toBeGreaterThanOrEqual(18);
});

const accept = 'application/json, text/event-stream';

it.each(['/graphql', '/trpc/accessRequests.create', '/trpc/accessRequests.create?batch=1', '/mcp'])(
  'POST %s refuses the body null with an error in the format of its protocol',
  async (path) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept };
    const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: 'null' });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('"code":"invalid_parameter"');
  },
);
