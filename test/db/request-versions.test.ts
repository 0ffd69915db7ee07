import { expect, it } from 'vitest';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { openOperatorSide } from '../support/operator.ts';

await describeOnPostgres('the versions of requests', (createDatabase) => {
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
