import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { describeOnPostgres, untilSomeoneWaits, withClient } from '../support/databases.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { confirm, jwksOf, verifyChain } from '../support/receipt-chain.ts';
import { requestAsJson } from '../support/request-as-json.ts';
import { createRoles, type Roles } from '../support/roles.ts';

const noRight = { code: '42501', message: expect.stringContaining('permission denied') };
const byPolicy = { code: '42501', message: expect.stringContaining('row-level security') };

await describeOnPostgres('history that the roles can’t forge', (createDatabase) => {
  let url: string;
  let roles: Roles;
  let side: OperatorSide;
  let pending = '';
  let granted = '';

  const asOwner = (text: string) => withClient(url, (client) => client.query(text));
  const asService = (text: string) =>
    withClient(roles.backgroundUrl, (client) => client.query(text));

  beforeAll(async () => {
    url = (await createDatabase()).url;
    roles = await createRoles(url);
    side = await openOperatorSide({
      DATABASE_URL: roles.operatorUrl,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
    });
  });
  afterAll(async () => {
    await side.close();
    await roles.drop();
  });

  const ask = async () => {
    const made = await side.fixtures.portfolio();
    return (await side.fixtures.request(made.key, made.company.id)).id;
  };
  const askAndGrant = async () => {
    const id = await ask();
    await side.operator.approveAccessRequest({ id });
    return id;
  };
  beforeAll(async () => {
    [pending, granted] = [await ask(), await askAndGrant()];
    await side.operator.listAccessEvents({});
  });

  const approve = (id: string) => `
    update access_request set status = 'approved', approved_scopes = requested_scopes,
      decided_at = now(), expires_at = now() + interval '1 day',
      deadline_at = now() + interval '1 day', last_event_type = 'access_request.approved'
    where id = '${id}'`;

  /** An event that matches the current access request, except for the given values. */
  const event = (id: string, { createdAt = 'now()', companyId = 'company_id' } = {}) => `
    insert into access_event (id, type, created_at, access_request_id, access_request, investor_id,
        company_id, actor_type)
      select 'evt_forged' || substr(id, 4), 'access_request.approved', ${createdAt}, id,
        ${requestAsJson}, investor_id, ${companyId}, 'clock'
      from access_request where id = '${id}'`;

  const lastReceipt = `(
    select id from consent_receipt as last where last.access_request_id = request.request_id
      and not exists (select from consent_receipt where previous_id = last.id))`;

  const tell = (
    id: string,
    told: Parameters<typeof event>[1] = {},
    { issuedAt = 'told_at', previous = lastReceipt, companyId = 'company_id' } = {},
  ) => `
    with event as (${event(id, told)} returning id as event_id, access_request_id, created_at as told_at)
    insert into consent_receipt (id, previous_id, event_id, access_request_id, environment,
        company_id, company_name, investor_name, issued_at)
      select 'rcpt_' || substr(event_id, 5), ${previous}, event_id, access_request_id, 'live',
        ${companyId}, 'A', 'B', ${issuedAt}
      from event join access_request as request (request_id) on request_id = access_request_id`;

  const inTransaction = (...statements: string[]) => `begin; ${statements.join(';')}; commit`;

  test('a change with the right event and receipt is accepted, and the other tests forge parts of it', async () => {
    const id = await ask();
    await asService(inTransaction(approve(id), tell(id)));
    const { accessRequest, history } = await side.operator.showAccessRequest({ id });
    expect(accessRequest.status).toBe('approved');
    expect(history).toHaveLength(2);
  });

  test('an access request is dated after the previous one, even if the database’s clock is behind', async () => {
    const { fixtures, operator } = side;
    const { key, company } = await fixtures.portfolio();
    const { id } = await fixtures.request(key, company.id);
    await operator.declineAccessRequest({ id });
    // Simulates an earlier database server whose clock was ahead.
    await asOwner(
      `update access_request set created_at = now() + interval '10 minutes' where id = '${id}'`,
    );
    const { accessRequest: last } = await operator.showAccessRequest({ id });
    const { id: next } = await fixtures.request(key, company.id);
    const { accessRequest } = await operator.showAccessRequest({ id: next });
    expect(accessRequest.createdAt.getTime()).toBe(last.createdAt.getTime() + 1);
    await operator.approveAccessRequest({ id: next });
  });

  describe('an event', () => {
    test.each([
      ['of ten minutes ago', `now() - interval '10 minutes'`],
      ['with the time “infinity”', `'infinity'`],
    ])('must have the current time, and is rejected %s', async (_when, createdAt) => {
      const forge = asService(inTransaction(approve(pending), tell(pending, { createdAt })));
      await expect(forge).rejects.toMatchObject(byPolicy);
      expect((await side.operator.showAccessRequest({ id: pending })).accessRequest.status).toBe(
        'pending',
      );
    });

    test('must be about the company of its access request, and so must the event’s receipt', async () => {
      const other = `(select company_id from access_request where id = '${pending}')`;
      const receipt = tell(granted, {}, { companyId: other });
      await expect(asService(receipt)).rejects.toMatchObject(byPolicy);
      const elsewhere = event(granted, { companyId: other });
      await expect(asService(elsewhere)).rejects.toMatchObject(byPolicy);
    });
  });

  describe('a receipt', () => {
    test('must have the current time', async () => {
      const forge = tell(granted, {}, { issuedAt: `now() - interval '300 days'` });
      await expect(asService(forge)).rejects.toMatchObject(byPolicy);
    });

    test.each([
      ['nothing, as a second first receipt', 'null', 'consent_receipt_one_first'],
      [
        'the first receipt, which already has a successor',
        `(select id from consent_receipt as first
          where first.access_request_id = request_id and previous_id is null)`,
        'consent_receipt_has_one_successor',
      ],
      [
        'a receipt of another access request',
        `(select max(id) from consent_receipt as other where other.access_request_id <> request_id)`,
        'consent_receipt_previous',
      ],
    ])(
      'must follow the last receipt of its access request, and can’t follow %s',
      async (_what, previous, constraint) => {
        const forge = tell(granted, {}, { previous });
        await expect(asService(forge)).rejects.toMatchObject({ constraint });
      },
    );
  });

  describe('an access request', () => {
    test.each(['approved', 'revoked'])('can’t be created as %s', async (status) => {
      const forge = `insert into access_request (id, investor_id, company_id, requested_scopes,
          approved_scopes, previous_scopes, pending_scopes, status, created_at, decided_at,
          expires_at, deadline_at, last_event_type)
        select 'ar_forged', investor_id, company_id, requested_scopes, requested_scopes,
          '{}', '{}', '${status}', now(), now(), deadline_at, deadline_at, last_event_type
        from access_request where id = '${granted}'`;
      await expect(asService(forge)).rejects.toMatchObject(byPolicy);
    });

    test('can’t be changed or locked for a change after it has ended', async () => {
      const id = await askAndGrant();
      await side.operator.revokeAccessRequest({ id });
      for (const text of [approve(id), `select from access_request where id = '${id}' for update`])
        await expect(asService(text)).resolves.toMatchObject({ rowCount: 0 });
    });

    test('can’t be extended if it was revoked while the extension waited for the lock', async () => {
      const id = await askAndGrant();
      await withClient(url, async (client) => {
        await client.query(
          `begin; update access_request set status = 'revoked', expiring_at = null, review_at = null where id = '${id}'`,
        );
        const expiresAt = new Date(Date.now() + 2 * 86_400_000);
        const extending = expect(
          side.operator.extendAccessRequest({ id, expiresAt }),
        ).rejects.toMatchObject({ code: 'illegal_transition' });
        await untilSomeoneWaits(url);
        await client.query('commit');
        await extending;
      });
    });
  });

  describe('the event feed', () => {
    // These events don't have a position in the feed yet.
    beforeEach(askAndGrant);
    const last = '(select last_position from access_event_feed)';
    const stateOfFeed = async () => {
      const { rows } = await asOwner(`
        select (max(position) - count(position))::int as gaps,
          count(*) filter (where position is null)::int as unplaced,
          max(position) = ${last} as "isAtEnd", ${last}::int as end
        from access_event`);
      return rows[0] as { gaps: number; unplaced: number; isAtEnd: boolean; end: number };
    };

    test('gives each event exactly one position, even if several processes number the events at the same time', async () => {
      for (let index = 0; index < 5; index += 1) await ask();
      const numbering = () => asService('select number_access_events()::int as last');
      const ends = await Promise.all([numbering(), numbering(), numbering()]);
      const { end, ...state } = await stateOfFeed();
      expect(state).toEqual({ gaps: 0, unplaced: 0, isAtEnd: true });
      for (const { rows } of ends) expect(rows).toEqual([{ last: end }]);
    });
  });

  describe('a signing key', () => {
    test('can be locked by the service, but not changed', async () => {
      await asService('select from signing_key for update');
      const change = asService('update signing_key set created_at = now()');
      await expect(change).rejects.toMatchObject({ message: 'rows of signing_key are only added' });
    });

    test('can be registered by the service itself only if there is no other signing key', async () => {
      const keys = 'select * from signing_key order by number';
      const { rows: before } = await asOwner(keys);
      await asService(`select register_first_signing_key('forged', 'x', now())`);
      expect(before).not.toEqual([]);
      expect((await asOwner(keys)).rows).toEqual(before);
    });
  });

  /** Makes a grant whose last receipt is unsigned, as if no signing key had existed. */
  const askAndGrantUnsigned = async () => {
    const id = await askAndGrant();
    await asOwner(`update consent_receipt set signature = null, signing_key = null
      where access_request_id = '${id}' and previous_id is not null`);
    return id;
  };

  test('a receipt that is signed later contains the time of its signature', async () => {
    const id = await askAndGrantUnsigned();
    const before = Date.now();
    expect(await side.operator.signMissingReceipts({ confirm })).toBe(1);
    const { items } = await side.operator.listReceipts({ id });
    const jwks = jwksOf(await side.operator.listPublicKeys());
    const [first, late] = await verifyChain(items, jwks);
    expect(first).not.toHaveProperty('signed_at');
    const signedAt = Date.parse(late?.signed_at);
    expect(signedAt).toBeGreaterThanOrEqual(before);
    expect(Object.keys(late ?? {}).at(-1)).toBe('signed_at');
    // A second read returns the same bytes.
    expect((await side.operator.listReceipts({ id })).items).toEqual(items);
  });

  test.each([
    ['no time', 'null'],
    ['a time in January', `now() - interval '300 days'`],
  ])(
    'a later signature of a receipt must have the current time, and is rejected with %s',
    async (_when, signedAt) => {
      await askAndGrantUnsigned();
      const forge = withClient(roles.operatorUrl, (client) =>
        client.query(`update consent_receipt set signature = decode(repeat('00', 64), 'hex'),
        signing_key = (select max(number) from signing_key), signed_at = ${signedAt}
        where signature is null`),
      );
      await expect(forge).rejects.toMatchObject(byPolicy);
      await side.operator.signMissingReceipts({ confirm });
    },
  );

  test('a receipt can be signed only once', async () => {
    const again = `update consent_receipt set signature = signature, signed_at = now()
      where access_request_id = '${granted}'`;
    const { rows } = await withClient(roles.operatorUrl, (client) =>
      client.query(`${again} returning id`),
    );
    expect(rows).toEqual([]);
    await expect(asService(again)).rejects.toMatchObject(noRight);
  });
});
