import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
// Some audits read the schema, which only a key of the test environment may do.
const { key } = await service.fixtures.portfolio({ environment: 'test', rateLimit: 1_000_000 });

const audits = serverAudits({
  url: () => `${service.url}/graphql`,
  fetchFn: (url: string, init: RequestInit = {}) => {
    const headers = { ...(init.headers as object), authorization: `Bearer ${key}` };
    return fetch(url, { ...init, headers });
  },
});

describe('the public audits of GraphQL over HTTP', () => {
  it('are found by this test', () => {
    expect(audits.length).toBeGreaterThanOrEqual(60);
  });

  for (const { id, name, fn } of audits) {
    it(`${id} ${name}`, async () => {
      const result = await fn();
      expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
    });
  }
});
