import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { confirm, jwksOf, verifyChain } from '../support/receipt-chain.ts';
import { createRoles, type Roles } from '../support/roles.ts';

const refused = { code: /^(42501|23000)$/ };

await describeOnPostgres('history that the role of the service cannot forge', (createDatabase) => {
  let url: string;
  let roles: Roles;
  let side: OperatorSide;
  /** A request that is pending, and one that is granted, for tests after which they still are. */
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

  /** The change of a request to what its event would tell. */
  const approve = (id: string) => `
    update access_request set status = 'approved', approved_scopes = requested_scopes,
      decided_at = now(), expires_at = now() + interval '1 day',
      deadline_at = now() + interval '1 day', last_event_type = 'access_request.approved'
    where id = '${id}'`;

  const isoOf = (column: string) =>
    `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

  /** An event with what the request says now, but for what is given. */
  const event = (
    id: string,
    {
      type = 'access_request.approved',
      createdAt = 'now()',
      told = '{}',
      position = 'null',
      suffix = '',
    } = {},
  ) => `
    insert into access_event (id, type, created_at, access_request_id, access_request, investor_id,
        company_id, actor_type, position)
      select 'evt_forged' || substr(id, 4) || '${suffix}', '${type}', ${createdAt}, id,
        json_build_object('id', id, 'investorId', investor_id, 'companyId', company_id,
          'requestedScopes', requested_scopes, 'approvedScopes', approved_scopes,
          'previousScopes', previous_scopes, 'pendingScopes', pending_scopes, 'status', status,
          'version', version, 'amendments', amendments, 'purpose', purpose, 'pendingPurpose', pending_purpose,
          'additionDeclined', addition_declined, 'reason', reason,
          'createdAt', ${isoOf('created_at')}, 'decidedAt', ${isoOf('decided_at')},
          'expiresAt', ${isoOf('expires_at')}, 'deadlineAt', ${isoOf('deadline_at')},
          'expiringAt', ${isoOf('expiring_at')}, 'lastEventType', last_event_type
        )::jsonb || '${told}',
        investor_id, company_id, 'operator', ${position}
      from access_request where id = '${id}'`;

  /** The same with a receipt that follows the last one. */
  const tell = (id: string, told: Parameters<typeof event>[1] = {}, issuedAt = 'told_at') => `
    with event as (${event(id, told)} returning id as event_id, access_request_id, created_at as told_at)
    insert into consent_receipt (id, previous_id, event_id, access_request_id, environment,
        company_id, company_name, investor_name, issued_at)
      select 'rcpt_' || substr(event_id, 5), last_receipt_id, event_id, access_request_id, 'live',
        company_id, 'A', 'B', ${issuedAt}
      from event join access_request as request (request_id) on request_id = access_request_id`;

  const inTransaction = (...statements: string[]) => `begin; ${statements.join(';')}; commit`;

  test('a change with its event and receipt, now, is taken: what the others are compared with', async () => {
    const id = await ask();
    await asService(inTransaction(approve(id), tell(id)));
    const { accessRequest, history } = await side.operator.showAccessRequest({ id });
    expect(accessRequest.status).toBe('approved');
    expect(history).toHaveLength(2);
  });

  test('a request comes after the last one of its pair, also once the clock of the database is behind', async () => {
    const { fixtures, operator } = side;
    const { key, company } = await fixtures.portfolio();
    const { id } = await fixtures.request(key, company.id);
    await operator.declineAccessRequest({ id });
    // As a server wrote it that another one has replaced.
    await asOwner(
      `update access_request set created_at = now() + interval '10 minutes' where id = '${id}'`,
    );
    const { accessRequest: last } = await operator.showAccessRequest({ id });
    const { id: next } = await fixtures.request(key, company.id);
    const { accessRequest } = await operator.showAccessRequest({ id: next });
    expect(accessRequest.createdAt.getTime()).toBe(last.createdAt.getTime() + 1);
    await operator.approveAccessRequest({ id: next });
  });

  describe('an event of data', () => {
    const ofData = (
      version = `(select version::text from company_data_version where company_id = told.company_id)`,
      createdAt = 'now()',
      more = ['', ''],
    ) => `
      insert into access_event (id, type, created_at, company_id, data, scopes${more[0]})
        select 'evt_data' || company_id, 'company_data.updated', ${createdAt}, company_id,
          json_build_object('dataVersion', ${version}, 'metricKeys', array['arr'],
            'hasSources', false, 'hasAccounts', false), array['metrics:read']${more[1]}
        from (select company_id from company_data_version limit 1) as told`;

    beforeAll(() => side.fixtures.readablePortfolio());

    test('of the version that the data has is taken: what the others are compared with', async () => {
      await expect(asService(ofData())).resolves.toMatchObject({ rowCount: 1 });
    });

    test.each([
      ['of another version', ofData(`'0'`)],
      ['without a version', ofData('null')],
      ['of another time', ofData(undefined, `now() - interval '1 day'`)],
      ['with a place in the feed', ofData(undefined, undefined, [', position', ', 1000000'])],
      [
        'with a number',
        ofData(undefined, undefined, [', number', ', 1000000']).replace(
          'select',
          'overriding system value select',
        ),
      ],
    ])('%s is refused', async (_what, text) => {
      await expect(asService(text)).rejects.toMatchObject(refused);
    });

    test.each([
      ['by somebody', [', actor_type', `, 'operator'`]],
      ['of a request', [', access_request_id', `, '${'ar_none'}'`]],
      ['of an investor', [', investor_id', `, 'inv_none'`]],
    ])('%s is refused', async (_what, more) => {
      await expect(asService(ofData(undefined, undefined, more))).rejects.toMatchObject({
        code: expect.stringMatching(/^(42501|23)/),
      });
    });

    test.each([
      `update access_event set data = '{}' where data is not null`,
      `update access_event set scopes = '{accounts:read}' where data is not null`,
      'delete from access_event where data is not null',
    ])('is never changed: %s', async (text) => {
      await expect(asService(text)).rejects.toMatchObject(refused);
    });
  });

  describe('an event', () => {
    test.each([
      ['before all others', '-5'],
      ['that is still to be given', '(select max(number) + 1 from access_event)'],
    ])('has no number of its own choice: one %s', async (_which, number) => {
      const chosen = tell(pending)
        .replace('insert into access_event (id', 'insert into access_event (number, id')
        .replace(
          "position)\n      select 'evt",
          `position) overriding system value\n      select ${number}, 'evt`,
        );
      expect(chosen).toContain(`overriding system value\n      select ${number}`);
      await expect(asService(inTransaction(approve(pending), chosen))).rejects.toMatchObject({
        code: '42501',
      });
    });

    test.each([
      ['is made in January', `created_at = '2026-01-01'`],
      ['is decided on in January', `decided_at = '2026-01-05'`],
    ])('tells of no request that %s', async (_when, change) => {
      const dated = `update access_request set ${change} where id = '${pending}'`;
      await expect(
        asService(inTransaction(approve(pending), dated, tell(pending))),
      ).rejects.toMatchObject({ code: '42501' });
    });

    test('tells of nothing that happens after the end', async () => {
      const id = await askAndGrant();
      await side.operator.revokeAccessRequest({ id });
      const forge = asService(inTransaction(approve(id), tell(id)));
      await expect(forge).rejects.toMatchObject(refused);
    });

    test.each([
      ['of January', `now() - interval '300 days'`],
      ['of next year', `now() + interval '365 days'`],
      ['of ten minutes ago', `now() - interval '10 minutes'`],
      ['of the end of time', `'infinity'`],
      ['of no time', 'null'],
    ])('is not dated by whoever writes it: %s', async (_when, createdAt) => {
      const forge = asService(inTransaction(approve(pending), tell(pending, { createdAt })));
      await expect(forge).rejects.toMatchObject({ code: /^(42501|23502)$/ });
      expect((await side.operator.showAccessRequest({ id: pending })).accessRequest.status).toBe(
        'pending',
      );
    });

    test.each([
      ['another status', () => tell(pending, { told: '{"status": "approved"}' })],
      ['another purpose', () => tell(granted, { told: '{"purpose": "Sell it."}' })],
      ['other scopes', () => tell(granted, { told: '{"approvedScopes": ["metrics:read"]}' })],
      ['scopes in another order', () => tell(granted, { told: '{"requestedScopes": [null]}' })],
      ['a later end', () => tell(granted, { told: '{"expiresAt": "2040-01-01T00:00:00.000Z"}' })],
      ['another company', () => tell(granted, { told: '{"companyId": "co_other"}' })],
      ['another type', () => tell(granted, { type: 'access_request.revoked' })],
      ['nothing', () => tell(granted, { told: '{"id": null}' })],
    ])('tells its request as it stands: not %s', async (_what, forge) => {
      await expect(asService(forge())).rejects.toMatchObject({ code: '23000' });
    });

    test('of another time is in no receipt either', async () => {
      const forge = tell(granted, {}, `now() - interval '300 days'`);
      await expect(asService(forge)).rejects.toMatchObject({ code: '23000' });
    });

    test('is not told in between, of a state that the request has not', async () => {
      const forge = inTransaction(
        tell(granted, { told: '{"purpose": "Sell it."}' }),
        tell(granted, { suffix: '2' }),
      );
      await expect(asService(forge)).rejects.toMatchObject({ code: '23000' });
    });
  });

  test('an event without a receipt is refused at commit, to the owner too', async () => {
    for (const write of [asService, asOwner]) {
      await expect(write(event(granted))).rejects.toMatchObject({
        code: '23000',
        message: 'an event is written with its receipt',
      });
    }
  });

  describe('what a decision rests on does not change without its event', () => {
    const changes = [
      `status = 'revoked'`,
      `approved_scopes = '{metrics:read}'`,
      `expires_at = '2040-01-01'`,
      `deadline_at = '2040-01-01'`,
      `purpose = 'Sell it.'`,
      `pending_scopes = '{}', addition_declined = true`,
      `reason = 'No.'`,
      `decided_at = now() - interval '300 days'`,
      `created_at = now() - interval '300 days'`,
      `last_event_type = 'access_request.extended'`,
      `investor_id = (select min(id) from investor)`,
      `company_id = (select min(id) from company)`,
    ];
    const attempts = {
      'by itself': (change: string) =>
        `update access_request set ${change} where id = '${granted}'`,
      'with the constraint at once': (change: string) =>
        inTransaction(
          'set constraints all immediate',
          `update access_request set ${change} where id = '${granted}'`,
        ),
      'under the cover of a temporary table': (change: string) =>
        inTransaction(
          'create temporary table access_event (like public.access_event) on commit drop',
          'create temporary table consent_receipt (like public.consent_receipt) on commit drop',
          `create temporary table access_request on commit drop
            as select * from public.access_request where false`,
          `update public.access_request set ${change} where id = '${granted}'`,
        ),
    };
    test.each(
      Object.entries(attempts).flatMap(([how, make]) =>
        changes.map((change) => [how, change, make] as const),
      ),
    )('%s: %s', async (_how, change, make) => {
      const before = await side.operator.showAccessRequest({ id: granted });
      await expect(asService(make(change))).rejects.toMatchObject(refused);
      expect(await side.operator.showAccessRequest({ id: granted })).toEqual(before);
    });

    test('and a request is not there without the event of its creation', async () => {
      const add = `insert into access_request select * from jsonb_populate_record(
        (select request from access_request as request where id = '${granted}'),
        '{"id": "ar_forged", "status": "revoked"}')`;
      await expect(asService(add)).rejects.toMatchObject(refused);
    });
  });

  describe('the last receipt of a request', () => {
    test.each([
      ['is not set back', `(select previous_id from consent_receipt where id = last_receipt_id)`],
      ['is not forgotten', 'null'],
      [
        'is none of another request',
        `(select max(id) from consent_receipt
        where access_request_id <> access_request.id)`,
      ],
      ['is not made up', `'rcpt_forged'`],
    ])('%s', async (_what, receipt) => {
      const set = `update access_request set last_receipt_id = ${receipt} where id = '${granted}'`;
      await expect(asService(set)).rejects.toMatchObject(refused);
    });
  });

  describe('the feed', () => {
    // With events that have no place yet.
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
    test.each([
      ['a place far ahead', `update access_event set position = 999999999 where position is null`],
      [
        'a place that leaves one out',
        `update access_event set position = ${last} + 2
        where position is null`,
      ],
      ['a place before the first', `update access_event set position = 0 where position is null`],
      [
        'another place than it has',
        `update access_event set position = position + 1000000
        where position = (select max(position) from access_event)`,
      ],
      [
        'no place, when it had one',
        `update access_event set position = null
        where position = (select max(position) from access_event)`,
      ],
      ['a place as it is written', () => tell(granted, { position: '999999999' })],
      ['an end that is not its own', `update access_event_feed set last_position = 999999999`],
      ['a beginning once more', `update access_event_feed set last_position = 0`],
      ['no end', `delete from access_event_feed`],
      ['a reader far ahead', `update event_consumer set position = 999999999`],
      ['a reader who reads again', `update event_consumer set position = -1`],
    ])('gives an event no other than its next place: %s', async (_what, statement) => {
      const text = typeof statement === 'string' ? statement : statement();
      await expect(asService(text)).rejects.toMatchObject(refused);
      // And goes on.
      const events = await side.operator.listAccessEvents({});
      expect(events.events.length).toBeGreaterThan(0);
      expect(await stateOfFeed()).toMatchObject({ gaps: 0, unplaced: 0, isAtEnd: true });
    });

    test('gives many events at once the next places, to two who number at once each its own', async () => {
      for (let index = 0; index < 5; index += 1) await ask();
      const numbering = () => asService('select number_access_events()::int as last');
      const ends = await Promise.all([numbering(), numbering(), numbering()]);
      const { end, ...state } = await stateOfFeed();
      expect(state).toEqual({ gaps: 0, unplaced: 0, isAtEnd: true });
      for (const { rows } of ends) expect(rows).toEqual([{ last: end }]);
    });
  });

  describe('what access records came to', () => {
    beforeAll(async () => {
      await asOwner(`
        insert into access_record_day (company_id, day, investor_id, scope, allowed, refused)
          values ('co_1', '2026-01-01', 'inv_1', 'metrics:read', 5, 5);
        insert into access_record_day_sum (company_id, day, environment, scope, is_of_investor,
            investor_id, allowed, refused)
          values ('co_1', '2026-01-01', 'live', 'metrics:read', true, 'inv_1', 5, 5);
        insert into access_record_grant (grant_id, company_id, reads, last_read_at)
          values ('ar_1', 'co_1', 5, now())`);
    });
    test.each([
      'delete from access_record_day',
      'delete from access_record_day_sum',
      'delete from access_record_grant',
      'truncate access_record_day',
      'update access_record_day set allowed = 0',
      'update access_record_day set refused = refused - 1',
      `update access_record_day set day = '2020-01-01'`,
      `update access_record_day set company_id = 'co_2'`,
      'update access_record_day_sum set allowed = 4',
      `update access_record_day_sum set investor_id = 'inv_2'`,
      'update access_record_grant set reads = 0',
      `update access_record_grant set last_read_at = '2020-01-01'`,
      `update access_record_counted set counted_until = now() + interval '1 year'`,
      `update access_record_counted set counted_until = '2020-01-01'`,
      `update access_record_counted set next_until = now() + interval '1 year',
        next_transaction = pg_current_xact_id()`,
    ])('is neither lowered nor taken away: %s', async (statement) => {
      await expect(asService(statement)).rejects.toMatchObject({ code: '42501' });
    });

    test('is added to', async () => {
      await asService('update access_record_day set allowed = allowed + 1');
      const { rows } = await asOwner('select allowed::int from access_record_day');
      expect(rows).toEqual([{ allowed: 6 }]);
    });
  });

  test.each([
    ['its own key', 'false, null'],
    ['one that seems to be imported', 'true, null'],
    ['one that is retired', 'false, now()'],
  ])('the service publishes no further key: %s', async (_what, values) => {
    const forge = `insert into signing_key (kid, public_key, created_at, is_imported, retired_at)
      values ('forged', 'x', now(), ${values})`;
    await expect(asService(forge)).rejects.toMatchObject({ code: '42501' });
  });

  test('a key that another process has registered meanwhile is registered again without a change', async () => {
    const keys = 'select * from signing_key order by number';
    const { rows: before } = await asOwner(keys);
    const again = `insert into signing_key (kid, public_key, created_at)
      select kid, 'x', now() from signing_key on conflict (kid) do nothing`;
    await expect(asService(again)).resolves.toMatchObject({ rowCount: 0 });
    expect(before).not.toEqual([]);
    expect((await asOwner(keys)).rows).toEqual(before);
  });

  test.each([
    ['a key of others one of ours', 'set is_imported = not is_imported'],
    ['none of ours', 'set is_imported = true'],
  ])('the service makes of a key never %s', async (_what, change) => {
    const forge = asService(`update signing_key ${change}`);
    await expect(forge).rejects.toMatchObject({ code: '42501' });
  });

  test('what was not signed when it happened says so once it is', async () => {
    await side.operator.signMissingReceipts({ confirm });
    const id = await ask();
    await asService(inTransaction(approve(id), tell(id)));
    const before = Date.now();
    expect(await side.operator.signMissingReceipts({ confirm })).toBe(1);
    const { items } = await side.operator.listReceipts({ id });
    const jwks = jwksOf(await side.operator.listPublicKeys());
    const [first, late] = await verifyChain(items, jwks);
    expect(first).not.toHaveProperty('signed_at');
    const signedAt = Date.parse(late?.signed_at);
    expect(signedAt).toBeGreaterThanOrEqual(before);
    expect(Object.keys(late ?? {}).at(-1)).toBe('signed_at');
    // The same bytes, whenever it is read.
    expect((await side.operator.listReceipts({ id })).items).toEqual(items);
  });

  test.each([
    ['when it was not', 'null'],
    ['in January', `now() - interval '300 days'`],
  ])('nobody signs late and says that it was signed %s', async (_when, signedAt) => {
    const id = await ask();
    await asService(inTransaction(approve(id), tell(id)));
    const forge = withClient(roles.operatorUrl, (client) =>
      client.query(`update consent_receipt set signature = decode(repeat('00', 64), 'hex'),
        signing_key = (select max(number) from signing_key), signed_at = ${signedAt}
        where signature is null`),
    );
    await expect(forge).rejects.toMatchObject({ code: '42501' });
    await side.operator.signMissingReceipts({ confirm });
  });
});
