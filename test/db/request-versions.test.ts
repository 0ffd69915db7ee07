import { expect, it } from 'vitest';
import { openDatabase } from '#db';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { openOperatorSide } from '../support/operator.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

await describeOnPostgres('the versions of requests', (createDatabase) => {
  it('are given to what is there, and each event tells that of its request', async () => {
    const { url } = await createDatabase();
    const side = await openOperatorSide({ DATABASE_URL: url });
    const { fixtures, operator } = side;
    const { key, company } = await fixtures.portfolio();
    const { id } = await fixtures.request(key, company.id, ['metrics:read']);
    await operator.approveAccessRequest({ id, expiresAt: inDays(10) });
    await operator.extendAccessRequest({ id, expiresAt: inDays(20) });
    const { version } = await fixtures.amend(key, id, ['sources:read'], 'More.');
    await operator.declineAccessRequest({ id, reason: 'No.', version });
    await fixtures.amend(key, id, ['sources:read'], 'Again.');
    await withClient(url, (client) =>
      client.query('update access_request set expiring_at = created_at'),
    );
    await operator.announceExpiringGrants();
    const before = await operator.showAccessRequest({ id });
    expect(before.accessRequest).toMatchObject({ amendments: 2 });
    expect(before.history.at(-1)?.type).toBe('access_request.expiring');
    const receipts = await operator.listReceipts({ id });

    const database = await openDatabase({ databaseUrl: url, dataDir: '', role: 'command' });
    while (!(await database.schemaState()).pending.includes('20261201-request-versions')) {
      await database.migrateDown();
    }
    await database.migrate();
    await database.close();

    expect(await operator.showAccessRequest({ id })).toEqual(before);
    expect(await operator.listReceipts({ id })).toEqual(receipts);
    await side.close();
  });

  it('are new ones whenever what is decided on is another one, whoever writes', async () => {
    const { url } = await createDatabase();
    const side = await openOperatorSide({ DATABASE_URL: url });
    const { key, company } = await side.fixtures.portfolio();
    const { id } = await side.fixtures.request(key, company.id, ['metrics:read']);
    const versions = [];
    for (const change of [
      `purpose = 'Another one'`,
      `requested_scopes = '{metrics:read,sources:read}', last_event_type = 'access_request.amended'`,
      `status = 'declined', decided_at = now(), last_event_type = 'access_request.declined'`,
    ]) {
      await withClient(url, (client) => client.query(`update access_request set ${change}`));
      versions.push((await side.operator.showAccessRequest({ id })).accessRequest);
    }
    expect(new Set(versions.map(({ version }) => version)).size).toBe(3);
    expect(versions.map(({ amendments }) => amendments)).toEqual([0, 1, 1]);
    await withClient(url, (client) => client.query(`update access_request set reason = 'No.'`));
    const { accessRequest } = await side.operator.showAccessRequest({ id });
    expect(accessRequest.version).toBe(versions.at(-1)?.version);
    await side.close();
  });
});
