import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  type CompanyCaller,
  consistencyChecks,
  type Inconsistency,
  type InvestorContactCaller,
  type Owner,
  parseExactJson,
  type SignedInCaller,
} from '#core';
import { verifyReceipts } from '#verify';
import { aCall } from '../support/call.ts';
import { describeOnPostgres, untilSomeoneWaits, withClient } from '../support/databases.ts';
import { importLines } from '../support/fixtures.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { createOwnedDatabase, type OwnedDatabase } from '../support/owned-database.ts';
import { jwksOf, payloadOf, type ShownReceipt } from '../support/receipt-chain.ts';
import { createRoles, type Roles } from '../support/roles.ts';

const exact = (...records: readonly object[]): unknown[] =>
  records.map((record) => parseExactJson(JSON.stringify(record)));

await describeOnPostgres('an erasure', () => {
  let database: OwnedDatabase;
  let roles: Roles;
  let side: OperatorSide;

  beforeAll(async () => {
    database = await createOwnedDatabase();
    roles = await createRoles(database.superuserUrl);
    side = await openOwner();
  });
  afterAll(async () => {
    await side.close();
    await roles.drop();
    await database.drop();
  });

  const openOwner = (withKey = true) =>
    openOperatorSide({
      DATABASE_URL: database.url,
      ...(withKey && { SIGNING_KEY_FILE: inject('signingKeyFile') }),
    });

  const dump = () =>
    withClient(database.superuserUrl, async (client) => {
      const tables = await client.query(`
        select oid::regclass::text as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind = 'r'`);
      let text = '';
      for (const { name } of tables.rows) {
        const { rows } = await client.query(`select row::text as line from ${name} as row`);
        text += rows.map(({ line }) => `${name}: ${line}\n`).join('');
      }
      return text;
    });

  async function findProblems(): Promise<Inconsistency[]> {
    const found: Inconsistency[] = [];
    for (const check of consistencyChecks) {
      await side.operator.findInconsistencies(check, (one) => found.push(one));
    }
    return found;
  }

  async function receiptsOf(id: string): Promise<readonly ShownReceipt[]> {
    return (await side.operator.listReceipts({ id })).items;
  }

  const jwks = async () => jwksOf(await side.operator.listPublicKeys());

  async function signIn<Caller extends SignedInCaller>(owner: Owner, email: string) {
    const { token } = await side.operator.createSignInLink({ ...owner, email });
    const opened = await side.contacts.signIn({ token, previousSession: null, device: 'Lamp' });
    const admission = await side.contacts.admitContact(opened?.session ?? '', 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    return admission.caller as Caller;
  }

  let worlds = 0;

  /** Creates a company and an investor with unique texts of every kind that a person can write. */
  async function makeWorld() {
    worlds += 1;
    const { operator, background, companies, fixtures } = side;
    const tag = `q${worlds}z`;
    const texts = {
      companyName: `Quillfeather ${tag}`,
      formerName: `Plumage ${tag}`,
      investorName: `Zephyrine ${tag}`,
      purpose: `Purpose of the quarter ${tag}`,
      addition: `Purpose of the addition ${tag}`,
      declined: `Declined because ${tag}`,
      approved: `Approved because ${tag}`,
      revoked: `Revoked because ${tag}`,
      voided: `Voided because ${tag}`,
      label: `Label of ${tag}`,
      account: `Account of Ada ${tag}`,
      companyKeyName: `Ledger of Ada ${tag}`,
      apiKeyName: `Notebook of Bob ${tag}`,
      companyUrl: `https://hooks.example.com/ada-${tag}`,
      investorUrl: `https://hooks.example.com/bob-${tag}`,
      ada: `ada-${tag}@quillfeather.example`,
      former: `former-${tag}@quillfeather.example`,
      bob: `bob-${tag}@zephyrine.example`,
      both: `both-${tag}@example.com`,
    };
    const investor = await operator.createInvestor({
      ...{ name: texts.investorName, environment: 'live', sandbox: false },
    });
    const company = await operator.createCompany({ name: texts.formerName, environment: 'live' });
    await operator.renameCompany({ id: company.id, name: texts.companyName });
    const [ofCompany, ofInvestor] = [{ companyId: company.id }, { investorId: investor.id }];
    await operator.addToPortfolio({ ...ofCompany, ...ofInvestor });
    for (const email of [texts.ada, texts.former, texts.both]) {
      await operator.addContact({ ...ofCompany, email, role: 'admin' });
    }
    for (const email of [texts.bob, texts.both]) {
      await operator.addContact({ ...ofInvestor, email, role: 'admin' });
    }
    const former = (await operator.listContacts(ofCompany)).find(
      ({ email }) => email === texts.former,
    );
    await operator.removeContact({ id: former?.id ?? '' });
    const ada = await signIn<CompanyCaller & SignedInCaller>(ofCompany, texts.ada);
    const bob = await signIn<InvestorContactCaller>(ofInvestor, texts.bob);
    await signIn(ofCompany, texts.both);
    await side.contacts.requestSignIn({ email: texts.ada, source: tag });

    const { keyId } = await fixtures.key(investor);
    await operator.renameApiKey({ id: keyId, name: texts.apiKeyName });
    await operator.rotateApiKey({ id: keyId });
    const scopes = ['consents:manage', 'data:write'] as const;
    const ledger = { ...ofCompany, name: texts.companyKeyName, scopes };
    const { secret } = await operator.createCompanyKey({ ...ledger, scopes: [...scopes] });
    const admission = await companies.admitCompany(secret, 1, aCall);
    if ('refusal' in admission) throw admission.refusal;
    const program = admission.caller as CompanyCaller;
    await operator.addWebhook({ ...ofCompany, url: texts.companyUrl });
    const { endpoint } = await operator.addWebhook({ ...ofInvestor, url: texts.investorUrl });
    await operator.removeWebhook({ id: endpoint.id });
    await operator.addWebhook({ ...ofInvestor, url: texts.investorUrl });

    const source = { system: 'mercury', method: 'api', last_synced: '2026-11-01T04:00:00Z' };
    const metric = (period: string, raw_value: number) => ({
      ...{ type: 'metric', key: 'arr', label: texts.label, currency: 'USD', period, raw_value },
      source,
    });
    const account = {
      ...{ type: 'account', id: 'acc_1', provider: 'mercury', name: texts.account },
      ...{ account_type: 'bank', currency: 'USD', raw_balance: 5, last_four: '4821' },
      last_synced_at: '2026-11-01T04:00:00Z',
    };
    const feed = (status: string) => ({
      ...{ type: 'source', provider: 'mercury', account_name: texts.account, status },
      last_synced_at: '2026-11-01T04:00:00Z',
    });
    const push = (...records: object[]) =>
      companies.pushRecords(program, {
        records: exact(...records),
        idempotencyKey: `push of ${tag} ${JSON.stringify(records).length}`,
      });
    await push(metric('2026-09-30', 1), metric('2026-10-31', 2), feed('connected'), account);
    await push(feed('failed'));
    const voidOf = (period: string) => ({
      ...{ type: 'void', key: 'arr', period, reason: texts.voided },
    });
    await push(voidOf('2026-09-30'), voidOf('2026-10-31'), feed('failed'));
    await push(metric('2026-10-31', 3), metric('2026-08-31', 3), feed('failed'), feed('failed'));
    await companies.pushRecords(ada as never, {
      records: exact({
        ...metric('2026-07-31', 9),
        source: { ...source, system: 'manual', method: 'manual' },
      }),
      ...{ method: 'manual', reason: texts.voided },
    });

    const ask = (purpose: string) =>
      operator.requestAccess({
        ...{ ...ofInvestor, companyId: company.id, purpose, scopes: ['metrics:read'] },
      });
    const declined = (await ask(texts.purpose)).accessRequest;
    await companies.declineRequest(ada, { id: declined.id, reason: texts.declined });
    const granted = (await ask(texts.purpose)).accessRequest;
    await companies.setApprovalsRequired(ada, { required: 2 });
    const terms = { metricKeys: ['arr'] };
    for (const approver of [ada, program]) {
      await companies.approveRequest(approver, { id: granted.id, terms, reason: texts.approved });
    }
    await side.investors.amendAccessRequest(bob, {
      ...{ id: granted.id, scopes: ['sources:read'], purpose: texts.addition },
    });
    while ((await background.queueMails()) > 0);
    while ((await background.queueWebhooks()) > 0);
    return {
      ...{ company, investor, ofCompany, ofInvestor, texts, tag, bob },
      requestIds: [declined.id, granted.id],
      granted: granted.id,
      revoke: () => companies.revokeRequest(ada, { id: granted.id, reason: texts.revoked }),
    };
  }

  type World = Awaited<ReturnType<typeof makeWorld>>;

  async function expectProof({ requestIds }: World): Promise<void> {
    for (const id of requestIds) {
      const { items, head } = await side.operator.listReceipts({ id });
      expect(await verifyReceipts(items, { jwks: await jwks(), head })).toMatchObject({
        valid: true,
        complete: { state: 'complete' },
      });
    }
  }

  function expectNone(all: string, texts: readonly string[]): void {
    const has = (line: string) =>
      texts.some((text) => line.toLowerCase().includes(text.toLowerCase()));
    expect(all.split('\n').filter(has)).toEqual([]);
  }

  test('removes every text that people wrote about an erased company, and all receipts still verify', async () => {
    const world = await makeWorld();
    const { company, texts, requestIds } = world;
    const neighbour = await makeWorld();
    await neighbour.revoke();
    await world.revoke();
    const before = await Promise.all(requestIds.map(receiptsOf));
    const ofNeighbour = await Promise.all(neighbour.requestIds.map(receiptsOf));
    const all = await dump();
    for (const text of Object.values(texts))
      expect(all.toLowerCase()).toContain(text.toLowerCase());
    expect(await findProblems()).toEqual([]);

    const erased = await side.operator.eraseCompany({ id: company.id, name: texts.companyName });
    expect(erased).toEqual({
      ...{ id: company.id, name: `Erased company ${company.id}`, people: 2 },
      receipts: before.flat().length,
    });

    const { investorName, apiKeyName, investorUrl, bob, both, ...ofCompany } = texts;
    expectNone(await dump(), Object.values(ofCompany));
    expect(await findProblems()).toEqual([]);
    await expectProof(world);
    const after = await Promise.all(requestIds.map(receiptsOf));
    for (const [index, chain] of before.entries()) {
      // Copies of earlier receipts, kept by the company or the investor, still verify as well.
      expect(await verifyReceipts(chain, { jwks: await jwks() })).toMatchObject({ valid: true });
      const said = chain.map(payloadOf);
      expect(after[index]?.map(payloadOf)).toEqual(
        said.map((payload) => ({
          ...payload,
          data_subject: { id: company.id, name: `Erased company ${company.id}` },
          purpose: '[erased]',
          reason: payload.reason && '[erased]',
          signed_at: expect.any(String),
        })),
      );
    }
    expect(await Promise.all(neighbour.requestIds.map(receiptsOf))).toEqual(ofNeighbour);
    const [entry] = (await side.operator.listSettingsChanges({ companyId: company.id, limit: 1 }))
      .items;
    expect(entry).toMatchObject({ type: 'company.erased', actor: { type: 'operator' } });
  });

  test('removes every text that people wrote about an erased investor, and all receipts still verify', async () => {
    const world = await makeWorld();
    const { investor, texts } = world;
    await world.revoke();
    await side.operator.eraseInvestor({ id: investor.id, name: texts.investorName });
    const { investorName, apiKeyName, investorUrl, bob } = texts;
    const { purpose, addition, declined, approved, revoked } = texts;
    const written = [purpose, addition, declined, approved, revoked];
    const gone = [investorName, apiKeyName, investorUrl, bob, ...written];
    const all = await dump();
    expectNone(all, gone);
    expect(all).toContain(texts.companyName);
    expect(all).toContain(texts.both);
    expect(await findProblems()).toEqual([]);
    await expectProof(world);
  });

  test('removes the address of an erased person from all companies and investors', async () => {
    const world = await makeWorld();
    const { texts } = world;
    await side.operator.revokeAccessRequest({
      id: world.granted,
      reason: `Ask ${texts.both} again`,
    });
    expect(
      await side.operator.eraseContact({ email: texts.both, confirmation: texts.both }),
    ).toMatchObject({
      ...{ people: 2, receipts: 1 },
    });
    const removed = { email: texts.former.toUpperCase(), confirmation: texts.former };
    expect(await side.operator.eraseContact(removed)).toMatchObject({ people: 1, receipts: 0 });
    const all = await dump();
    expectNone(all, [texts.both, texts.former]);
    expect(all).toContain(texts.ada);
    expect(await findProblems()).toEqual([]);
    await expectProof(world);
    await expect(
      side.operator.eraseContact({ email: texts.both, confirmation: texts.both }),
    ).rejects.toMatchObject({ code: 'contact_not_found' });
  });

  test('is rejected in the operator role of roles.sql, and then changes nothing', async () => {
    const { texts } = await makeWorld();
    const before = await dump();
    const asOperator = await openOperatorSide({ DATABASE_URL: roles.operatorUrl });
    const erasing = asOperator.operator.eraseContact({
      ...{ email: texts.ada, confirmation: texts.ada },
    });
    await expect(erasing).rejects.toMatchObject({ code: '42501' });
    await asOperator.close();
    expect(await dump()).toBe(before);
  });

  describe('after an erasure', () => {
    let world: World;
    beforeAll(async () => {
      world = await makeWorld();
      await world.revoke();
      const { company, texts } = world;
      await side.operator.eraseCompany({ id: company.id, name: texts.companyName });
    });

    test.each([
      `update settings_change set subject = '{}'`,
      'delete from settings_change',
      `update access_event set reason = 'Other'`,
      `update consent_receipt set company_name = 'Other'`,
      `update metric_revision set void_reason = 'Other'`,
      `update metric_point set confidence = 'other'`,
    ])('the tables still reject changes, even by their owner: %s', async (statement) => {
      const replica = 'set session_replication_role = replica; ';
      for (const setup of statement.includes('metric_point') ? [''] : ['', replica]) {
        const forging = withClient(database.superuserUrl, (client) =>
          client.query(setup + statement),
        );
        await expect(forging).rejects.toMatchObject({ code: '42501' });
      }
    });

    test('the remaining values keep their signatures', async () => {
      const { id } = world.company;
      const values: boolean[] = [];
      await side.operator.exportCompany(id, async (records) => {
        for (const record of records) {
          if (record.type === 'metric') values.push(record.metric.verification.signed);
        }
      });
      expect(new Set(values)).toEqual(new Set([true]));
    });

    test('the same erasure can run again', async () => {
      const { id } = world.company;
      const name = `Erased company ${id}`;
      expect(await side.operator.eraseCompany({ id, name })).toMatchObject({
        people: 0,
        receipts: 0,
      });
      expect(await findProblems()).toEqual([]);
    });
  });

  test('waits for a change that is still running', async () => {
    const world = await makeWorld();
    const { company, investor, texts } = world;
    await world.revoke();
    await withClient(database.superuserUrl, async (client) => {
      await client.query('begin');
      await client.query(
        `insert into access_request (id, investor_id, company_id, requested_scopes,
          approved_scopes, previous_scopes, pending_scopes, status, created_at, deadline_at,
          last_event_type)
        values ('ar_late', $1, $2, '{metrics:read}', '{}', '{}', '{}', 'pending', now(),
          now() + interval '1 day', 'access_request.created')`,
        [investor.id, company.id],
      );
      const name = texts.investorName;
      const erasing = expect(
        side.operator.eraseInvestor({ id: investor.id, name }),
      ).rejects.toMatchObject({ message: expect.stringContaining('ar_late') });
      await untilSomeoneWaits(database.superuserUrl);
      await client.query('commit');
      await erasing;
      await client.query(`delete from access_request where id = 'ar_late'`);
    });
  });

  describe('that is running for a company', () => {
    /**
     * Runs the change while an erasure holds the lock on the company's row, and commits the erasure
     * once the change waits.
     */
    async function duringErasure(id: string, change: () => Promise<unknown>): Promise<unknown> {
      return withClient(database.superuserUrl, async (client) => {
        await client.query('begin');
        await client.query(
          `update company set name = 'Erased company ' || id, suspended_at = now()
          where id = (select id from company where id = $1 for update)`,
          [id],
        );
        const changing = change().then(
          () => null,
          (error: unknown) => error,
        );
        await untilSomeoneWaits(database.superuserUrl);
        await client.query('commit');
        return changing;
      });
    }

    const nameOf = async (id: string) =>
      (await side.operator.listCompanies()).find((one) => one.id === id)?.name;

    test.each([
      { type: 'company', name: 'Other', environment: 'live' },
      {
        ...{ type: 'source', provider: 'mercury', account_name: 'Account of Ada' },
        ...{ status: 'connected', last_synced_at: '2026-11-01T04:00:00Z' },
      },
    ])(
      'refuses an import of a $type that has waited for the erasure',
      async ({ type, ...fields }) => {
        const { id } = await side.fixtures.company();
        const line =
          type === 'company' ? { type, id, ...fields } : { type, company_id: id, ...fields };
        const error = await duringErasure(id, () => importLines(side.operator, [line]));
        expect(error).toMatchObject({
          ...{ code: 'invalid_parameter', message: expect.stringContaining('was erased') },
        });
        expect(await nameOf(id)).toBe(`Erased company ${id}`);
      },
    );

    test.each(['rename', 'suspend', 'resume'] as const)(
      'refuses an attempt to %s the company that has waited for the erasure',
      async (act) => {
        const { operator } = side;
        const { id } = await side.fixtures.company();
        if (act === 'resume') await operator.suspendCompany({ id });
        const attempts = {
          rename: () => operator.renameCompany({ id, name: 'Other' }),
          suspend: () => operator.suspendCompany({ id }),
          resume: () => operator.resumeCompany({ id }),
        };
        const error = await duringErasure(id, attempts[act]);
        expect(error).toMatchObject({ code: 'invalid_parameter' });
        const found = (await operator.listCompanies()).find((one) => one.id === id);
        expect(found).toMatchObject({
          ...{ name: `Erased company ${id}`, suspendedAt: expect.any(Date) },
        });
      },
    );

    test('refuses an access request that has waited for the erasure', async () => {
      const world = await makeWorld();
      await world.revoke();
      const { id } = world.company;
      const ask = () =>
        side.investors.requestAccess(world.bob, {
          ...{ companyId: id, scopes: ['metrics:read'], purpose: null },
        });
      expect(await duringErasure(id, ask)).toMatchObject({ code: 'company_not_found' });
    });
  });

  test('leaves a receipt unsigned if the erasure runs between the read and the signature of the receipt', async () => {
    const { ofInvestor } = await makeWorld();
    const unsigned = await openOwner(false);
    const other = await side.operator.createCompany({ name: 'Quince', environment: 'live' });
    await side.operator.addToPortfolio({ ...ofInvestor, companyId: other.id });
    const { accessRequest } = await unsigned.operator.requestAccess({
      ...{ ...ofInvestor, companyId: other.id, purpose: 'Purpose', scopes: ['metrics:read'] },
    });
    await unsigned.operator.declineAccessRequest({ id: accessRequest.id, reason: 'Reason' });
    await unsigned.close();
    let isErased = false;
    const signed = await side.operator.signMissingReceipts({
      confirm: async () => {
        if (!isErased) await side.operator.eraseCompany({ id: other.id, name: 'Quince' });
        isErased = true;
        return true;
      },
    });
    expect(signed).toBe(0);
    expect(await side.operator.signMissingReceipts({ confirm: async () => true })).toBe(2);
    const { items } = await side.operator.listReceipts({ id: accessRequest.id });
    expect(await verifyReceipts(items, { jwks: await jwks() })).toMatchObject({ valid: true });
    expect(items).toHaveLength(2);
  });

  test('waits for an uncommitted log entry that contains the erased person’s address', async () => {
    const { texts, investor } = await makeWorld();
    await withClient(database.superuserUrl, async (client) => {
      await client.query('begin');
      await client.query(
        `insert into settings_change (id, type, created_at, investor_id, actor, subject, changes)
        values ('chg_late', 'contact.removed', now(), $1, '{"type": "operator"}',
          jsonb_build_object('type', 'contact', 'id', 'ct_late', 'name', $2::text), '{}')`,
        [investor.id, texts.bob],
      );
      const erasing = side.operator.eraseContact({ email: texts.bob, confirmation: texts.bob });
      await untilSomeoneWaits(database.superuserUrl);
      await client.query('commit');
      await erasing;
    });
    expectNone(await dump(), [texts.bob]);
  });
});
