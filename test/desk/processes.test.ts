import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/databases.ts';
import { startService, type TestService } from '../support/service.ts';
import { type StatementCounter, startStatementCounter } from '../support/statement-counter.ts';
import { formTo, rowsOf, signIn, visit } from './desk.ts';
import { addShared, deskRecords, openPortfolio, openShared } from './investor/portfolios.ts';

await describeOnPostgres('the desk on two processes', (createDatabase) => {
  let counter: StatementCounter;
  let one: TestService;
  let other: TestService;

  beforeAll(async () => {
    const { url } = await createDatabase();
    counter = await startStatementCounter(url);
    const environment = { RATE_LIMIT_POINTS: '100000' };
    const started = { isReachedDirectly: true, environment } as const;
    one = await startService({ ...started, storage: { databaseUrl: url } });
    other = await startService({ ...started, storage: { databaseUrl: counter.url } });
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await counter?.close();
  });

  it('hides figures after a revocation, even in a second process that has cached them', async () => {
    const { company, requestId, ...opened } = await openShared(one);
    const person = visit(other, opened.person.email, opened.person.session);
    const paths = ['/desk/portfolio', `/desk/portfolio/${company.id}`];
    for (const path of paths) expect((await person.get(path)).text).toContain('990,000');
    const before = (await deskRecords(one, company.id)).length;
    await one.operator.revokeAccessRequest({ id: requestId });
    for (const path of paths) expect((await person.get(path)).text).not.toContain('990,000');
    expect(await deskRecords(one, company.id)).toHaveLength(before);
  });

  it('needs as few statements for a portfolio of 25 companies as for 2 companies', async () => {
    const counted: number[] = [];
    for (const companies of [2, 25]) {
      const opened = await openPortfolio(one);
      for (let index = 0; index < companies; index += 1) {
        await addShared(one, opened, `C${index}`);
      }
      const person = visit(other, opened.person.email, opened.person.session);
      counted.push(
        await counter.count(async () => {
          expect(rowsOf((await person.get('/desk/portfolio')).text)).toHaveLength(companies);
        }),
      );
    }
    expect(counted[1]).toBe(counted[0]);
  });

  it('accepts an upload in one process after another process showed its preview', async () => {
    const { id } = await one.fixtures.company();
    const contact = await signIn(one, id);
    const preview = await contact.upload('key,period,raw_value\narr,2026-10-31,1\n');
    const there = visit(other, contact.email, contact.session);
    const pushed = await there.submit(formTo(preview, '/desk/data/push'));
    expect(pushed.location).toBe('/desk/data?done=1-0-0');
    expect((await contact.get('/desk/data/metrics/arr')).status).toBe(200);
  });
});
