import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/databases.ts';
import { startService, type TestService } from '../support/service.ts';
import { formTo, signIn, visit } from './desk.ts';

await describeOnPostgres('an upload over two processes', (createDatabase) => {
  let one: TestService;
  let other: TestService;

  beforeAll(async () => {
    const { url: databaseUrl } = await createDatabase();
    const start = () => startService({ storage: { databaseUrl }, isReachedDirectly: true });
    one = await start();
    other = await start();
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
  });

  it('can be previewed in one process and accepted in the other', async () => {
    const { id } = await one.fixtures.company();
    const contact = await signIn(one, id);
    const file =
      'key,period,raw_value,source.system,source.method,source.last_synced\narr,2026-10-31,1,L,file,2026-11-02T08:00:00Z';
    const push = formTo(await contact.upload(file), '/desk/data/push');
    const there = visit(other, contact.email, contact.session);
    expect((await there.submit(push)).location).toBe('/desk/data?done=1-0-0');
    expect((await contact.get('/desk/data/metrics/arr')).status).toBe(200);
    // A second click in the first process changes nothing else.
    expect((await contact.submit(push)).location).toBe('/desk/data?done=1-0-0');
  });
});
