import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { postgres } from '../support/backends.ts';
import { allScopes, readEndpoints } from '../support/contract.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Portfolio } from '../support/fixtures.ts';
import { isFull } from '../support/property-runs.ts';
import { startService, type TestService } from '../support/service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

describe.skipIf(postgres.isUnreachable)(`a database outage (${postgres.name})`, () => {
  let service: TestService;
  let proxy: TcpProxy;
  let made: Portfolio;
  let companyKey: string;
  let release: () => Promise<void>;

  beforeAll(async () => {
    const opened = await postgres.open();
    release = opened.release;
    const url = new URL('databaseUrl' in opened.storage ? opened.storage.databaseUrl : '');
    proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${proxy.port}`;
    service = await startService({ storage: { databaseUrl: url.href } });
    made = await service.fixtures.readablePortfolio({ rateLimit: 100_000 });
    ({ key: companyKey } = await service.fixtures.companyKey(made.company.id));
  });
  afterAll(async () => {
    proxy?.open();
    await service?.close();
    await proxy?.close();
    await release?.();
  });
  afterEach(() => untilServed());

  /** The service may first have to drop dead database connections. */
  async function untilServed(): Promise<void> {
    proxy.open();
    for (;;) {
      const answer = await service.get('/v1/companies', made.key);
      if (answer.status === 200) return;
      expectRefusal(answer, 'service_unavailable');
    }
  }

  const everyEndpoint = [
    ...readEndpoints
      .filter(({ name }) => name !== 'reports')
      .map(({ path }) => ['GET', path] as const),
    ...(
      [
        ['GET', '/v1/access-requests'],
        ['POST', '/v1/access-requests'],
        ['GET', '/v1/access-requests/ar_1'],
        ['PATCH', '/v1/access-requests/ar_1'],
        ['DELETE', '/v1/access-requests/ar_1'],
        ['GET', '/v1/events'],
        ['GET', '/company/v1/access-requests'],
        ['GET', '/company/v1/access-requests/ar_1'],
        ['POST', '/company/v1/access-requests/ar_1/approve'],
        ['GET', '/company/v1/access-records'],
        ['GET', '/company/v1/events'],
      ] as const
    ).map(([method, path]) => [method, () => path] as const),
  ];

  // Each call to a hanging database waits for its timeout, and tests in test/db cover it, so this needs a full run.
  const faults: readonly ('cut' | 'hang')[] = isFull ? ['cut', 'hang'] : ['cut'];

  describe.each(faults)('%s', (fault) => {
    it('every endpoint returns 503 with Retry-After and without data', async () => {
      proxy[fault]();
      const answers = await Promise.all(
        everyEndpoint.map(([method, pathOf]) => {
          const path = pathOf(made.company.id);
          const isCompany = path.startsWith('/company/');
          const body = {
            ...(path === '/v1/access-requests' && { company_id: made.company.id }),
            scopes: ['metrics:read'],
          };
          return service.call(method, path, {
            key: isCompany ? companyKey : made.key,
            ...(['POST', 'PATCH'].includes(method) && { body }),
          });
        }),
      );
      for (const answer of answers) {
        expectRefusal(answer, 'service_unavailable');
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
        expect(answer.text).not.toMatch(/postgres|sql|ECONN|127\.0\.0\.1|timeout|pool/i);
      }
    });

    it('calls that don’t need the database still work', async () => {
      proxy[fault]();
      expectOk(await service.get('/healthz'));
      expectOk(await service.get('/v1/openapi.json'));
      expectRefusal(await service.get('/v1/companies'), 'missing_api_key');
      expectRefusal(await service.get('/nothing'), 'route_not_found');
    });

    it('/readyz reports the outage and its end', async () => {
      expectOk(await service.get('/readyz'));
      proxy[fault]();
      const down = await service.get('/readyz');
      expect(down.status).toBe(503);
      expect(down.body).toMatchObject({ status: 'unavailable', database: 'down' });
      await untilServed();
      const up = await service.get('/readyz');
      expectOk(up);
      expect(up.body).toMatchObject({ status: 'ok', database: 'ok' });
    });

    it('everything works again after the outage, and no access request was written twice', async () => {
      const { company, key } = await service.fixtures.portfolio({ scopes: [...allScopes] });
      const body = { company_id: company.id, scopes: ['metrics:read'] };
      const headers = { 'idempotency-key': `outage-${fault}` };
      const ask = () => service.post('/v1/access-requests', key, body, headers);
      proxy[fault]();
      expectRefusal(await ask(), 'service_unavailable');
      await untilServed();
      expectOk(await ask(), 201);
      const { body: list } = await service.get('/v1/access-requests', key);
      expect(list.data).toHaveLength(1);
      expectOk(await service.get(`/v1/companies/${made.company.id}/metrics`, made.key));
    });
  });
});
