import { serverAudits } from 'graphql-http';
import { describe, expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { startService } from '../support/service.ts';

/** The public audit of GraphQL over HTTP, against the service as it runs. */

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

describe('with a key that may ask for the schema', () => {
  const audits = auditsWith(() => sandbox);

  it('has as many audits as ever', () => {
    expect(audits.length).toBeGreaterThanOrEqual(60);
  });

  for (const { id, name, fn } of audits) {
    it(`${id} ${name}`, async () => {
      const result = await fn();
      expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
    });
  }
});

/** Those that ask for the schema, and so are refused where a key may not. */
const introspecting = ['2EA1', '28B9', 'D6D5', '6A70'];

describe('with a key that may not', () => {
  for (const { id, name, fn } of auditsWith(() => live)) {
    it.skipIf(introspecting.includes(id))(`${id} ${name}`, async () => {
      const result = await fn();
      expect(result.status, 'reason' in result ? result.reason : '').toBe('ok');
    });
  }
});
