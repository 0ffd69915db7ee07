import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { divideConnections } from '../../db/connections/divide-connections.ts';
import { defaultLimits } from '../../db/connections/settings.ts';
import { readConfig } from '../../gateway/config.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { importLines, sampleData } from '../support/fixtures.ts';
import { startService, type TestService } from '../support/service.ts';

describe('the connections of a process', () => {
  it('are divided among the connection pools by their shares, and API requests get the rest', () => {
    const divided = (connections: number) => Object.values(divideConnections(connections));
    expect(divideConnections(18)).toEqual({
      scoped: 4,
      requests: 5,
      batches: 4,
      background: 3,
      long_work: 2,
    });
    expect(divided(5)).toEqual([1, 1, 1, 1, 1]);
    expect(divided(8)).toEqual([1, 4, 1, 1, 1]);
    expect(divided(40)).toEqual([8, 14, 8, 6, 4]);
    for (let connections = 5; connections <= 100; connections += 1) {
      const counts = divided(connections);
      expect(Math.min(...counts)).toBeGreaterThan(0);
      expect(counts.reduce((sum, count) => sum + count)).toBe(connections);
    }
  });

  it('include at least one connection for each pool', () => {
    expect(() => divideConnections(4)).toThrow('at least 5 connections');
    expect(() => readConfig({ DATABASE_CONNECTIONS: '4' })).toThrow(
      'DATABASE_CONNECTIONS must be from 5 to 1000',
    );
  });

  it('fit into PostgreSQL’s default limit of 97, even for five processes', () => {
    const { databaseConnections } = readConfig({});
    expect(databaseConnections).toBe(defaultLimits.connections);
    expect(5 * databaseConnections).toBeLessThanOrEqual(97);
  });
});

/** Each action needs a dozen connections at once, so more actions would time out on a busy machine. */
const atOnce = 6;

await describeOnPostgres('a service under load', (createDatabase) => {
  describe.each([5, 18])('with %i connections', (connections) => {
    let url: string;
    let service: TestService;

    beforeAll(async () => {
      ({ url } = await createDatabase());
      service = await startService({
        storage: { databaseUrl: url },
        environment: { DATABASE_CONNECTIONS: String(connections), RATE_LIMIT_POINTS: '100000' },
      });
    });
    afterAll(() => service?.close());

    /** A connection stays open for seconds after its last statement, so each one is counted. */
    const countOpen = () =>
      withClient(url, async (client) => {
        const { rows } = await client.query(
          `select count(*)::int as open from pg_stat_activity
          where datname = current_database() and application_name = 'portfolio-access'`,
        );
        return Number(rows[0]?.open);
      });

    /** Performs every kind of transaction as one investor and one company, and reads between them. */
    async function actOnce(_: unknown, index: number): Promise<number[]> {
      const { fixtures, operator, background, call } = service;
      const { key, company, requestId, companyKey } = await fixtures.asking();
      const statuses: number[] = [];
      const send = async (method: string, path: string, by: string, body?: object) => {
        const { status } = await call(method, path, { key: by, ...(body && { body }) });
        statuses.push(status);
      };
      const request = `/company/v1/access-requests/${requestId}`;
      const [contact] = await Promise.all([
        operator.addContact({ companyId: company.id, email: 'cfo@harbor.example' }),
        operator.addWebhook({ companyId: company.id, url: 'https://hooks.example/access' }),
        // Parallel imports would wait too long for a connection.
        index === 0 && importLines(operator, sampleData(company.id)),
        send('POST', `${request}/approve`, companyKey, {}),
      ]);
      await Promise.all([
        operator.removeContact({ id: contact.id, lastAdmin: true }),
        send('GET', `/v1/companies/${company.id}/metrics`, key),
        send('GET', `/v1/companies/${company.id}/sources`, key),
        send('GET', '/v1/companies', key),
        send('GET', '/v1/access-requests', key),
        send('GET', '/v1/events', key),
        send('GET', '/company/v1/access-records', companyKey),
        send('GET', `${request}/receipts`, companyKey),
        background.queueWebhooks(),
        background.queueMails(),
        background.countAccessRecords(),
        background.expireAccessRequests(),
      ]);
      await send('POST', `${request}/revoke`, companyKey, {});
      return statuses;
    }

    it('completes every action, and never opens more connections than the limit', async () => {
      const acts = await Promise.all(Array.from({ length: atOnce }, actOnce));
      expect(acts.flat().filter((status) => status !== 200)).toEqual([]);
      const open = await countOpen();
      expect(open).toBeGreaterThanOrEqual(5);
      expect(open).toBeLessThanOrEqual(connections);
    });
  });
});
