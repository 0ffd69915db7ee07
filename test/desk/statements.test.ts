import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { startService, type TestService } from '../support/service.ts';
import { type StatementCounter, startStatementCounter } from '../support/statement-counter.ts';
import { formTo, type Seen, signIn } from './desk.ts';

await describeOnPostgres('the number of statements of a desk page', (createDatabase) => {
  let url: string;
  let counter: StatementCounter;
  let service: TestService;

  beforeAll(async () => {
    ({ url } = await createDatabase());
    counter = await startStatementCounter(url);
    service = await startService({
      storage: { databaseUrl: counter.url },
      isReachedDirectly: true,
    });
  });
  afterAll(async () => {
    await service?.close();
    await counter?.close();
  });

  /** Each request has its own investor. Every second investor has a grant and has read data. */
  async function fill(companyId: string, requests: number): Promise<void> {
    await withClient(url, async (client) => {
      await client.query(
        `insert into investor (id, name, environment, created_at)
          select $1 || '_inv' || n, 'Investor ' || n, 'live', now() from generate_series(1, $2::int) as n`,
        [companyId, requests],
      );
      await client.query(
        `insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
          previous_scopes, pending_scopes, status, created_at, decided_at, expires_at, deadline_at,
          last_event_type)
        select 'ar_' || md5($1 || n), $1 || '_inv' || n, $1, '{metrics:read}',
          case when n % 2 = 0 then '{metrics:read}' else '{}' end::text[], '{}', '{}',
          case when n % 2 = 0 then 'approved' else 'pending' end, now(),
          case when n % 2 = 0 then now() end, case when n % 2 = 0 then now() + interval '9 days' end,
          now() + interval '9 days', 'access_request.created'
        from generate_series(1, $2::int) as n`,
        [companyId, requests],
      );
      await client.query(
        `insert into access_record (id, occurred_at, request_id, protocol, key_id, investor_id,
          company_id, scope, resource, outcome, grant_id)
        select 'rec_' || md5($1 || n), now(), 'req_1', 'rest', 'key_1', $1 || '_inv' || n, $1,
          'metrics:read', 'metrics', 'allowed', 'ar_' || md5($1 || n)
        from generate_series(2, $2::int, 2) as n`,
        [companyId, requests],
      );
    });
  }

  it('isn’t higher with 400 access requests than with 2', async () => {
    const counted: Record<string, number>[] = [];
    for (const requests of [2, 400]) {
      const company = await service.fixtures.company();
      await fill(company.id, requests);
      const contact = await signIn(service, company.id);
      await contact.get('/desk/');
      const pages: Record<string, number> = {};
      for (const page of ['', 'requests', 'grants', 'activity', 'data']) {
        const path = `/desk/${page}`;
        pages[path] = await counter.count(async () => {
          expect((await contact.get(path)).status).toBe(200);
        });
      }
      counted.push(pages);
    }
    // Some lists are full with 400 requests, so their pages need fewer statements.
    for (const [path, count] of Object.entries(counted[1] ?? {})) {
      expect(count, path).toBeLessThanOrEqual(counted[0]?.[path] ?? 0);
    }
    // Nine statements: requesting investors, waiting requests, their number, grants that end soon,
    // grants to check, and the last readers in four windows of time. Four of them run in a scope,
    // with begin, scope and commit.
    expect(counted[0]?.['/desk/']).toBe(9 + 4 * 3);
  });

  it('is the same for the preview and upload of a file with 2 or 400 rows', async () => {
    const counted: number[][] = [];
    // The first run only fills the caches.
    for (const rows of [1, 2, 400]) {
      const contact = await signIn(service, (await service.fixtures.company()).id);
      const lines = Array.from(
        { length: rows },
        (_, at) => `m${at},2026-10-31,${at},L,file,2026-11-02T08:00:00Z`,
      );
      const header = 'key,period,raw_value,source.system,source.method,source.last_synced';
      let preview: Seen | undefined;
      const ofPreview = await counter.count(async () => {
        preview = await contact.upload([header, ...lines].join('\n'));
      });
      const push = formTo(preview as Seen, '/desk/data/push');
      const ofPush = await counter.count(async () => {
        expect((await contact.submit(push)).location).toBe(`/desk/data?done=${rows}-0-0`);
      });
      counted.push([ofPreview, ofPush]);
    }
    expect(counted[2]).toEqual(counted[1]);
  });
});
