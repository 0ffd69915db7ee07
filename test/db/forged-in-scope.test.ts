import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { createRoles, type Roles } from '../support/roles.ts';
import { createWorld, exact, openSides, type Sides, type World } from './least-privilege/world.ts';

const noRight = { code: '42501', message: expect.stringContaining('permission denied') };
const byPolicy = { code: '42501', message: expect.stringContaining('row-level security') };
const byTrigger = { code: '42501', message: expect.stringContaining('only by its next revision') };

/** The attacker runs arbitrary SQL in the service's role, with a row scope of one company. */
await describeOnPostgres(
  'history that the database role for requests can’t forge',
  (createDatabase) => {
    let url: string;
    let roles: Roles;
    let sides: Sides;
    let world: World;

    beforeAll(async () => {
      url = (await createDatabase()).url;
      roles = await createRoles(url);
      sides = await openSides({
        service: roles.serviceUrl,
        operator: roles.operatorUrl,
        owner: url,
      });
      world = await createWorld(sides);
      await world.request();
    });
    afterAll(async () => {
      await sides?.close();
      await roles?.drop();
    });

    const asOwner = (text: string) => withClient(url, (client) => client.query(text));

    const inScope = (text: string, scope = `portfolio_access.companies = '{${world.companyId}}'`) =>
      withClient(roles.serviceUrl, async (client) => {
        await client.query(`begin; set local ${scope}`);
        const result = await client.query(text);
        await client.query('commit');
        return result;
      });
    const asBackground = (text: string) =>
      withClient(roles.backgroundUrl, (client) => client.query(text));

    const stateOf = async (table: string) =>
      (
        await asOwner(`select md5(string_agg("row"::text, '' order by "row"::text)) as state,
      count(*)::int as count from ${table} as "row"`)
      ).rows;

    describe('an entry of the settings log', () => {
      const entry = ({
        createdAt = 'clock_timestamp()',
        actor = 'company_key',
        companyId = world.companyId as string | null,
        investorId = null as string | null,
      } = {}) => {
        const textOf = (id: string | null) => (id === null ? 'null' : `'${id}'`);
        return `
        insert into settings_change (id, type, created_at, company_id, investor_id, actor, subject, changes)
        values ('chg_forged' || gen_random_uuid(), 'contact.added', ${createdAt}, ${textOf(companyId)},
          ${textOf(investorId)}, '{"type": "${actor}", "id": null, "name": null}',
          '{"type": "contact", "id": "ct_forged", "name": "eve@example.com"}', '{}')`;
      };

      test('is accepted for the company of the row scope if it has the current time', async () => {
        await expect(inScope(entry())).resolves.toMatchObject({ rowCount: 1 });
      });

      test.each([
        ['backdated to January', { createdAt: `now() - interval '300 days'` }],
        ['backdated by ten minutes', { createdAt: `now() - interval '10 minutes'` }],
        ['of next year', { createdAt: `now() + interval '365 days'` }],
        ['with the time “infinity”', { createdAt: `'infinity'` }],
        ['by the operator', { actor: 'operator' }],
        ['by the service itself', { actor: 'service' }],
      ])('is rejected if it is forged: an entry %s', async (_what, given) => {
        const before = await stateOf('settings_change');
        await expect(inScope(entry(given))).rejects.toMatchObject(byPolicy);
        expect(await stateOf('settings_change')).toEqual(before);
      });

      test('is rejected if it belongs to another company or investor', async () => {
        const { id: otherId } = await world.neighbour();
        const { investorId } = world;
        for (const given of [
          { companyId: otherId },
          { investorId },
          { companyId: otherId, investorId },
          { companyId: null, investorId },
        ]) {
          await expect(inScope(entry(given)), JSON.stringify(given)).rejects.toMatchObject(
            byPolicy,
          );
        }
        const asInvestor = `portfolio_access.investors = '{${investorId}}'`;
        await expect(inScope(entry({ investorId }), asInvestor)).rejects.toMatchObject(byPolicy);
      });

      test('is rejected from every role if it reports the deletion of access records and has no owner', async () => {
        const dropped = entry({ companyId: null }).replace('contact.added', 'access_log.dropped');
        await expect(inScope(dropped)).rejects.toMatchObject(byPolicy);
        for (const role of [roles.backgroundUrl, roles.operatorUrl]) {
          const forged = withClient(role, (client) => client.query(dropped));
          await expect(forged).rejects.toMatchObject(byPolicy);
        }
      });

      test('is rejected with the operator as its actor, even if temporary tables hide the real tables', async () => {
        const cover = ['company', 'settings_change'].map(
          (table) => `create temporary table ${table} (like public.${table}) on commit drop;`,
        );
        const forged = entry({ actor: 'operator' }).replace(
          'into settings',
          'into public.settings',
        );
        await expect(inScope(`${cover.join('')} ${forged}`)).rejects.toMatchObject(byPolicy);
      });

      test.each([
        ['backdated', { createdAt: `now() - interval '300 days'` }],
        ['by the operator', { actor: 'operator' }],
      ])(
        'is rejected from the role of background tasks as well: an entry %s',
        async (_what, given) => {
          await expect(asBackground(entry(given))).rejects.toMatchObject(byPolicy);
          await expect(asBackground(entry({ actor: 'service' }))).resolves.toMatchObject({
            rowCount: 1,
          });
        },
      );

      test('is accepted with the operator as its actor only from the operator’s role and with the current time', async () => {
        const asOperator = (text: string) =>
          withClient(roles.operatorUrl, (client) => client.query(text));
        const actor = 'operator';
        await expect(asOperator(entry({ actor }))).resolves.toMatchObject({ rowCount: 1 });
        const createdAt = `now() - interval '300 days'`;
        await expect(asOperator(entry({ actor, createdAt }))).rejects.toMatchObject(byPolicy);
      });
    });

    describe('a revision of a metric', () => {
      const push = async (value: number) =>
        world.companies.pushRecords(world.companyKey, {
          records: exact(await world.upstream.sign(value)),
        });
      const arr = `(select id from metric_series where company_id = '${'$company'}' and key = 'arr')`;
      const forArr = (text: string) =>
        text.replaceAll('$arr', arr.replace('$company', world.companyId));

      const invented = {
        'an invented revision': `
        insert into metric_revision
          select (jsonb_populate_record(null::metric_revision, to_jsonb(point) || '{"raw_value": 7}')).*
          from metric_point as point where series_id = $arr`,
        'a revision with a future number': `
        insert into metric_revision
          select (jsonb_populate_record(null::metric_revision, to_jsonb(point) || '{"revision": 2}')).*
          from metric_point as point where series_id = $arr`,
        'a value that skips a revision': `
        update metric_point set raw_value = raw_value + 1, revision = revision + 2, signed_at = null,
          signature = null, signing_key = null where series_id = $arr`,
        'a value that changes under its revision': `
        update metric_point set raw_value = raw_value + 1 where series_id = $arr`,
        'a new value with the highest possible revision number': `
        insert into metric_point (series_id, period, raw_value, value, as_of, confidence,
            source_system, source_method, last_synced, verified, revision)
          values ($arr, '1999-01-31', 1, '1', now(), '', '', '', now(), false, 2147483647)`,
      } as const;

      test.each(Object.entries(invented))(
        'is rejected if it is forged, and a normal push still works: %s',
        async (_what, text) => {
          await push(11);
          const before = [await stateOf('metric_point'), await stateOf('metric_revision')];
          const attack = inScope(forArr(text));
          await expect(attack).rejects.toSatisfy((error) =>
            [noRight, byTrigger].some((reason) =>
              expect.objectContaining(reason).asymmetricMatch(error),
            ),
          );
          expect([await stateOf('metric_point'), await stateOf('metric_revision')]).toEqual(before);
          await expect(push(12)).resolves.toMatchObject({ revised: 1 });
        },
      );

      test('can’t be inserted directly by any role', async () => {
        const { rows } = await asOwner(`
        select rolname from pg_roles where rolname = any('{${Object.values(roles.names)}}')
          and has_any_column_privilege(oid, 'metric_revision', 'insert')`);
        expect(rows).toEqual([]);
      });
    });

    describe('values that later changes need', () => {
      test('a new metric can’t get the number that a later metric will get', async () => {
        const text = `insert into metric_series (id, company_id, key, label, category)
        overriding system value values (1000000, '${world.companyId}', 'forged', '', '')`;
        await expect(inScope(text)).rejects.toMatchObject(noRight);
      });

      test.each([
        `insert into company_data_version values ('$company', 9223372036854775807)
        on conflict (company_id) do update set version = excluded.version`,
        'update company_data_version set version = 9223372036854775807',
      ])(
        'a company’s data version can’t be set to the highest possible version: %s',
        async (text) => {
          const forge = inScope(text.replace('$company', world.companyId));
          await expect(forge).rejects.toMatchObject(byPolicy);
        },
      );
    });

    test.each(['company', 'investor'])(
      'the creation time of the %s can’t change',
      async (table) => {
        const [companies, investors] = [`{${world.companyId}}`, `{${world.investorId}}`];
        const scope = `portfolio_access.companies = '${companies}'; set local portfolio_access.investors = '${investors}'`;
        const forge = `update ${table} set created_at = now() - interval '300 days'`;
        await expect(inScope(forge, scope)).rejects.toMatchObject(byPolicy);
        await expect(asBackground(forge)).rejects.toMatchObject(byPolicy);
        await expect(inScope(`select from ${table} for update`, scope)).resolves.toBeDefined();
      },
    );

    test('an access request can’t be backdated', async () => {
      const request = (createdAt: string) => `
      insert into access_request (id, investor_id, company_id, requested_scopes, approved_scopes,
          previous_scopes, pending_scopes, status, created_at, deadline_at, last_event_type)
        select 'ar_forged', '${world.investorId}', id, '{metrics:read}', '{}', '{}', '{}', 'pending',
          ${createdAt}, now() + interval '9 days', 'access_request.created'
        from company where id = '${world.companyId}'`;
      const scope = `portfolio_access.investors = '{${world.investorId}}'`;
      const forge = inScope(request(`now() - interval '300 days'`), scope);
      await expect(forge).rejects.toMatchObject(byPolicy);
    });

    describe('an event', () => {
      const ofData = ({
        createdAt = 'now()',
        actor = 'null',
        columns = '',
        values = '',
        companyId = world.companyId,
      } = {}) => `
      insert into access_event (id, type, created_at, company_id, actor_type, data, scopes ${columns})
        overriding system value
        select 'evt_forged' || gen_random_uuid(), 'company_data.updated', ${createdAt}, company_id,
          ${actor}, json_build_object('dataVersion', version::text, 'metricKeys', array['arr'],
            'latestPeriods', json_build_object('arr', '2026-03-31'), 'hasSources', false, 'hasAccounts', false), array['metrics:read'] ${values}
        from (select '${companyId}' as company_id, version from company_data_version
          where company_id = '${world.companyId}') as told`;

      test('is accepted if it reports changed data and has the current time', async () => {
        await expect(inScope(ofData())).resolves.toMatchObject({ rowCount: 1 });
      });

      test.each([
        ['backdated', { createdAt: `now() - interval '300 days'` }, byPolicy],
        ['backdated by ten minutes', { createdAt: `now() - interval '10 minutes'` }, byPolicy],
        ['by the operator', { actor: `'operator'` }, byPolicy],
        ['by the clock', { actor: `'clock'` }, byPolicy],
        ['of an investor', { columns: ', investor_id', values: `, 'inv_none'` }, { code: '23514' }],
        ['with a position', { columns: ', position', values: ', 1' }, noRight],
        ['with a number', { columns: ', number', values: ', 1' }, noRight],
      ])('is rejected if it is forged: an event %s', async (_what, given, reason) => {
        await expect(inScope(ofData(given))).rejects.toMatchObject(reason);
      });

      test('is rejected from an investor if it reports a company’s changed data, even if the investor may read the data', async () => {
        const asInvestor = `portfolio_access.investors = '{${world.investorId}}'`;
        const text = ofData().replace(
          /from \(select.*as told/s,
          `from (select
        '${world.companyId}' as company_id, 1 as version) as told`,
        );
        await expect(inScope(text, asInvestor)).rejects.toMatchObject(byPolicy);
      });

      const dataOf = (data: object) => `
      insert into access_event (id, type, created_at, company_id, data, scopes)
        values ('evt_forged' || gen_random_uuid(), 'company_data.updated', now(), '${world.companyId}',
          '${JSON.stringify(data)}', array['metrics:read'])`;
      const readableData = {
        dataVersion: '1',
        metricKeys: ['arr'],
        latestPeriods: { arr: '2026-03-31' },
        hasSources: false,
        hasAccounts: false,
      };

      test.each([
        ['an empty object', {}],
        ['a list instead of an object', [readableData]],
        ['keys that aren’t text', { ...readableData, metricKeys: [1] }],
        ['one key instead of a list of keys', { ...readableData, metricKeys: 'arr' }],
        ['no latest periods', { ...readableData, latestPeriods: undefined }],
        ['a latest period that isn’t text', { ...readableData, latestPeriods: { arr: 1 } }],
        ['corrections that aren’t lists', { ...readableData, corrections: { arr: 1 } }],
        ['corrections without periods', { ...readableData, corrections: { arr: [1] } }],
      ])('is rejected if its data would stop the feed: %s', async (_what, data) => {
        await expect(inScope(dataOf(readableData))).resolves.toMatchObject({ rowCount: 1 });
        await expect(inScope(dataOf(data))).rejects.toMatchObject(byPolicy);
      });

      test.each([
        ['without the request', `'{}'`],
        ['with the request of another investor', `access_request || '{"investorId": "inv_other"}'`],
        [
          'with an impossible time',
          `access_request || '{"createdAt": "2026-13-01T00:00:00.000Z"}'`,
        ],
        ['without an end', `access_request - 'expiresAt'`],
        [
          'with an end that isn’t a time',
          `access_request || '{"expiresAt": ["2026-11-30T00:00:00.000Z"]}'`,
        ],
        ['with an unknown scope', `access_request || '{"approvedScopes": ["all"]}'`],
        ['without scopes', `access_request - 'requestedScopes'`],
      ])('is rejected if it would stop the feed: an event %s', async (_what, request) => {
        const copyOf = (json: string) => `
        insert into access_event (id, type, created_at, company_id, investor_id, access_request_id,
            access_request, actor_type, actor_id)
          select 'evt_forged' || gen_random_uuid(), type, now(), company_id, investor_id,
            access_request_id, ${json}, 'company_key', 'ck_forged'
          from access_event where access_request is not null and company_id = '${world.companyId}'
          limit 1`;
        await expect(inScope(copyOf('access_request'))).resolves.toMatchObject({ rowCount: 1 });
        await expect(inScope(copyOf(request))).rejects.toMatchObject(byPolicy);
      });

      test('needs a receipt with the current time and without the time of a later signature', async () => {
        const receipt = (columns: string, values: string, issuedAt = 'now()') => `
        insert into consent_receipt (id, event_id, access_request_id, company_id, environment,
            company_name, investor_name, issued_at ${columns})
          select 'rcpt_forged', event.id, access_request_id, company_id, 'live', '', '', ${issuedAt}
            ${values}
          from access_event as event where access_request_id is not null
            and company_id = '${world.companyId}' limit 1`;
        await expect(inScope(receipt(', signed_at', ', now()'))).rejects.toMatchObject(noRight);
        const january = `now() - interval '300 days'`;
        await expect(inScope(receipt('', '', january))).rejects.toMatchObject(byPolicy);
      });
    });

    test('a mail in a company’s row scope must be about a settings change of this company', async () => {
      const mail = (companyId: string, kind = 'settings_changed', more = ['', '']) => `
      insert into mail (id, company_id, email, kind, state, attempts, next_attempt_at, created_at,
          settings_change_id ${more[0]})
        values ('ml_forged' || gen_random_uuid(), '${companyId}', 'eve@example.com', '${kind}',
          'waiting', 0, now(), now(), 'chg_forged' ${more[1]})`;
      await expect(inScope(mail(world.companyId))).resolves.toMatchObject({ rowCount: 1 });
      const { id: otherId } = await world.neighbour();
      await expect(inScope(mail(otherId))).rejects.toMatchObject(byPolicy);
      const ofContact = mail(world.companyId, 'contact_invited', [', contact_id', `, 'ct_1'`]);
      await expect(inScope(ofContact)).rejects.toMatchObject(noRight);
      await expect(inScope(mail(world.companyId, 'contact_invited'))).rejects.toMatchObject({
        code: '23514',
      });
    });

    test('a webhook’s row can be deleted only after the service has marked the webhook as removed', async () => {
      const { endpoint } = await world.operator.addWebhook({
        ...world.ofCompany,
        url: 'https://hooks.example.com/kept',
      });
      const remove = `delete from webhook_endpoint where id = '${endpoint.id}' returning 1`;
      await expect(asBackground(remove)).resolves.toMatchObject({ rowCount: 0 });
      await world.operator.removeWebhook({ id: endpoint.id });
      await expect(asBackground(remove)).resolves.toMatchObject({ rowCount: 1 });
    });
  },
);
