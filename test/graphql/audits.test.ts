import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { startService } from '../support/service.ts';

/** The public audit suite of GraphQL over HTTP, run against a real service. */

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const many = { rateLimit: 1_000_000 };
const { key: live } = await service.fixtures.portfolio(many);
const { key: sandbox } = await service.fixtures.portfolio({ ...many, environment: 'test' });

const auditsWith = (key: () => string) =>
  serverAudits({
    url: () => `${service.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) => {
      const headers = { ...(init.headers as object), authorization: `Bearer ${key()}` };
      return fetch(url, { ...init, headers });
    },
  });

describe('with a key that may read the schema', () => {
  const audits = auditsWith(() => sandbox);

  it('the suite has the expected number of audits', () => {
    expect(audits.length).toBeGreaterThanOrEqual(60);
  });

  for (const { id, name, fn } of audits) {
    it(`${id} ${name}`, async () => {
      const result = await fn();
      expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
    });
  }
});

/** Audits that read the schema, and so are refused for other keys. */
const introspecting = ['2EA1', '28B9', 'D6D5', '6A70'];

describe('with a key that may not read the schema', () => {
  for (const { id, name, fn } of auditsWith(() => live)) {
    it.skipIf(introspecting.includes(id))(`${id} ${name}`, async () => {
      const result = await fn();
      expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
    });
  }
});
