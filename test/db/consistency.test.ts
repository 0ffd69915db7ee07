import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type ConsistencyCheck, consistencyChecks, type Inconsistency } from '#core';
import { aCall } from '../support/call.ts';
import { describeOnPostgres, withClient } from '../support/databases.ts';
import { importLines, type Portfolio, sampleData } from '../support/fixtures.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { confirm } from '../support/receipt-chain.ts';
import { createRoles, type Roles } from '../support/roles.ts';

const day = 86_400_000;
const inDays = (count: number) => new Date(Date.now() + count * day);
const url = 'https://hooks.example.com/in';
const terms = { metricKeys: ['arr', 'cash_balance'] };

interface Subject extends Portfolio {
  readonly id: string;
  readonly contactId: string;
}

await describeOnPostgres('the consistency checks', (createDatabase) => {
  let ownerUrl: string;
  let roles: Roles;
  let side: OperatorSide;
  let subjects: Subject[];

  beforeAll(async () => {
    ownerUrl = (await createDatabase()).url;
    roles = await createRoles(ownerUrl);
    side = await openOperatorSide({
      DATABASE_URL: roles.operatorUrl,
      SIGNING_KEY_FILE: inject('signingKeyFile'),
    });
    subjects = [];
    while (subjects.length < 30) {
      subjects.push(...(await Promise.all([makeSubject(), makeSubject(), makeSubject()])));
    }
  });
  afterAll(async () => {
    await side.close();
    await roles.drop();
  });

  async function makeSubject(): Promise<Subject> {
    const { fixtures, operator } = side;
    const made = await fixtures.portfolio();
    const { key, company, investor, keyId } = made;
    await importLines(operator, sampleData(company.id));
    const { id } = await fixtures.request(key, company.id, ['metrics:read']);
    const versionOf = async () => (await operator.showAccessRequest({ id })).accessRequest.version;
    await fixtures.amend(key, id, ['sources:read'], 'Two of them.');
    await operator.approveAccessRequest({ id, version: await versionOf(), terms });
    await fixtures.amend(key, id, ['accounts:read']);
    const expiresAt = inDays(500);
    await operator.extendAccessRequest({ id, version: await versionOf(), expiresAt });
    const contact = await operator.addContact({
      ...{ companyId: company.id, email: `${company.id}@example.com`, role: 'viewer' },
      invite: false,
    });
    await operator.changeContactRole({ id: contact.id, role: 'approver' });
    await operator.addWebhook({ investorId: investor.id, url });
    await operator.renameApiKey({ id: keyId, name: 'CI' });
    await operator.createCompanyKey({ companyId: company.id, expiresAt: inDays(5) });
    const [cash] = sampleData(company.id);
    await importLines(operator, [{ ...cash, raw_value: 7 }]);
    return { ...made, id, contactId: contact.id };
  }

  /** Makes all other kinds of changes with use cases. */
  async function makeMore() {
    const { fixtures, operator, background } = side;
    const { investor, company, key, keyId } = await fixtures.readablePortfolio();
    const rotated = await operator.rotateApiKey({ id: keyId });
    const again = await operator.rotateApiKey({ id: rotated.key.id });
    await operator.revokeApiKey({ id: again.key.id });
    const companyKey = await operator.createCompanyKey({ companyId: company.id, name: 'ERP' });
    await operator.rotateCompanyKey({ id: companyKey.key.id });
    const { endpoint } = await operator.addWebhook({ companyId: company.id, url });
    await operator.rotateWebhook({ id: endpoint.id });
    await operator.removeWebhook({ id: endpoint.id });
    const person = { companyId: company.id, email: 'a@example.com', invite: false };
    const { id } = await operator.addContact(person);
    await operator.removeContact({ id, lastAdmin: true });
    await operator.addContact(person);
    await fixtures.companyOf(investor);
    await operator.renameCompany({ id: company.id, name: 'Other' });
    await operator.suspendInvestor({ id: investor.id });
    await operator.resumeInvestor({ id: investor.id });
    await operator.suspendCompany({ id: company.id });
    await operator.removeFromPortfolio({ investorId: investor.id, companyId: company.id });
    await operator.createInvestor({ name: 'Of the sandbox', environment: 'test' });
    await importLines(operator, [
      { type: 'company', id: 'co_imported', name: 'Imported', environment: 'live' },
      { type: 'portfolio', investor_id: investor.id, company_id: 'co_imported' },
    ]);
    await importLines(operator, [
      { type: 'company', id: 'co_imported', name: 'Renamed', environment: 'live' },
    ]);
    const other = await fixtures.portfolio();
    await fixtures.revoked(other);
    await makeMoreUnderTerms();
    await fixtures.grant(other, ['metrics:read'], inDays(3));
    await background.announceExpiringGrants();
    await background.expireAccessRequests();
    while ((await background.queueWebhooks()) > 0);
    while ((await background.queueMails()) > 0);
    return key;
  }

  /** Makes the changes that only a grant with terms, a pause or two approvals has. */
  async function makeMoreUnderTerms() {
    const { fixtures, operator, companies, investors } = side;
    const { investor, company, key } = await fixtures.portfolio();
    await operator.setApprovalsRequired({ companyId: company.id, required: 2 });
    const { accessRequest } = await operator.requestAccess({
      ...{ investorId: investor.id, companyId: company.id, scopes: ['metrics:read'] },
      terms: { ...terms, historyFrom: '2026-01-01' },
    });
    const { id } = accessRequest;
    const companyKey = await fixtures.companyKey(company.id);
    const program = await companies.admitCompany(companyKey.key, 1, aCall);
    const reader = await investors.admitCaller(key, 1, aCall);
    if ('refusal' in program || 'refusal' in reader) throw new Error('a caller was refused');
    const approve = async (use: 'once' | 'ongoing') => {
      const { version } = (await operator.showAccessRequest({ id })).accessRequest;
      await operator.approveAccessRequest({ id, version, terms: { use } });
      await companies.approveRequest(program.caller, { id, version, terms: { use } });
    };
    await approve('ongoing');
    await operator.pauseAccessRequest({ id });
    await operator.resumeAccessRequest({ id });
    await operator.narrowAccessRequest({ id, terms: { metricKeys: ['arr'] } });
    await investors.amendAccessRequest(reader.caller, { id, terms: { metricKeys: null } });
    await approve('once');
    await investors.readLatestMetrics(reader.caller, { companyId: company.id });
    const { history } = await operator.showAccessRequest({ id });
    expect(history.map(({ type }) => type.replace('access_request.', ''))).toEqual([
      ...['created', 'approval_added', 'approved', 'paused', 'resumed', 'narrowed', 'amended'],
      ...['approval_added', 'approved', 'first_read'],
    ]);
  }

  async function find(check: ConsistencyCheck): Promise<Inconsistency[]> {
    const found: Inconsistency[] = [];
    await side.operator.findInconsistencies(check, (one) => found.push(one));
    return found;
  }

  const watch = (isFull = false) => side.background.watchConsents({ isFull, known: [] });

  test('find no problem during the changes of use cases, and none afterwards', async () => {
    const changes = Promise.all([makeMore(), makeSubject(), makeSubject()]);
    const during = Promise.all(consistencyChecks.map(find));
    await changes;
    expect((await during).flat()).toEqual([]);
    expect((await Promise.all(consistencyChecks.map(find))).flat()).toEqual([]);
    expect([await watch(), await watch(true)]).toEqual([[], []]);
  });

  describe('after the owner of the tables has disabled the triggers', () => {
    // Turns off the remaining triggers and foreign keys, so they can't refuse a forged change.
    const forge = (text: string) =>
      withClient(ownerUrl, (client) =>
        client.query(`set session_replication_role = replica; ${text}`),
      );
    const lastEvent = ({ id }: Subject) =>
      `(select max(number) from access_event where access_request_id = '${id}')`;
    const idOf = ({ id }: Subject) => id;

    beforeAll(async () => {
      // Some triggers also fire in replica mode, so all triggers are disabled first.
      await forge(`do $$ declare name text; begin
        for name in select distinct tgrelid::regclass::text from pg_trigger where not tgisinternal
        loop execute format('alter table %s disable trigger user', name); end loop; end $$`);
    });

    type Forgery = readonly [
      what: string,
      check: ConsistencyCheck,
      text: (of: Subject) => string,
      subject: (of: Subject) => string,
      problem: RegExp,
    ];
    const consents: readonly Forgery[] = [
      [
        'a grant that was never made',
        'consents',
        ({ id }) => `insert into access_request select (jsonb_populate_record(request,
          '{"id": "ar_silent${id.slice(3)}", "investor_id": "inv_silent"}')).*
          from access_request as request where id = '${id}'`,
        ({ id }) => `ar_silent${id.slice(3)}`,
        /^it has no event$/,
      ],
      [
        'an access request with more scopes than its last event',
        'consents',
        ({
          id,
        }) => `update access_request set approved_scopes = requested_scopes || '{accounts:read}',
          requested_scopes = requested_scopes || '{accounts:read}', pending_scopes = '{}' where id = '${id}'`,
        idOf,
        /^it differs from its last event evt_\w+: requestedScopes, approvedScopes, pendingScopes$/,
      ],
      [
        'an invalid instant in the last event',
        'consents',
        (of) => `update access_event set access_request = access_request || '{"createdAt": "soon"}'
          where number = ${lastEvent(of)}`,
        idOf,
        /: createdAt$/,
      ],
      [
        'an event for another investor',
        'consents',
        (of) => `update access_event set investor_id = 'inv_other' where number = ${lastEvent(of)}`,
        idOf,
        /names another investor or company/,
      ],
      [
        'an event without a receipt',
        'consents',
        (of) => `delete from consent_receipt where event_id = (
          select id from access_event where number = ${lastEvent(of)})`,
        idOf,
        /^the event evt_\w+ has no receipt$/,
      ],
      [
        'a receipt with another time',
        'consents',
        (of) => `update consent_receipt set issued_at = issued_at - interval '1 day'
          where event_id = (select id from access_event where number = ${lastEvent(of)})`,
        idOf,
        /: issuedAt$/,
      ],
      [
        'a last receipt without a signature',
        'consents',
        (of) => `update consent_receipt set signature = null, signing_key = null
          where event_id = (select id from access_event where number = ${lastEvent(of)})`,
        idOf,
        /isn't signed; run sign --missing/,
      ],
    ];
    const inThePast: readonly Forgery[] = [
      [
        'an event that was deleted',
        'consents',
        ({ id }) => `with gone as (
            delete from access_event where type = 'access_request.approved'
              and access_request_id = '${id}' returning id)
          delete from consent_receipt where event_id in (select id from gone)`,
        idOf,
        /can't follow the one before|doesn't match its action/,
      ],
      [
        'a receipt with another company name',
        'consents',
        ({ id }) =>
          `update consent_receipt set company_name = 'Other' where access_request_id = '${id}'`,
        idOf,
        /^the signature of the receipt rcpt_\w+ is wrong$/,
      ],
    ];
    const others: readonly Forgery[] = [
      [
        'a receipt that belongs to a data event',
        'consents',
        ({
          id,
          company,
        }) => `insert into consent_receipt (id, event_id, previous_id, access_request_id, company_id,
            environment, company_name, investor_name, issued_at)
          select 'rcpt_stray' || max(event.id), max(event.id),
            (select id from consent_receipt as last where access_request_id = '${id}'
              and not exists (select from consent_receipt where previous_id = last.id)),
            '${id}', '${company.id}', 'live', '', '', now()
          from access_event as event where data is not null and company_id = '${company.id}'`,
        () => expect.stringContaining('rcpt_stray'),
        /belongs to another request/,
      ],
      [
        'an event without a position',
        'feed',
        (of) => `update access_event set position = null where number = ${lastEvent(of)}`,
        () => 'feed',
        /^no event has the positions \d+ to \d+$/,
      ],
      [
        'a consumer with a position after the end of the feed',
        'feed',
        () => `update event_consumer set position = 1000000 where name = 'mail'`,
        () => 'feed',
        /^the consumer mail is at 1000000, after the end$/,
      ],
      [
        'a source that has changed without a new version',
        'versions',
        ({ company }) => `update source set status = 'error' where company_id = '${company.id}'`,
        ({ company }) => company.id,
        /without a new data version/,
      ],
      [
        'a value that has changed without a new version',
        'versions',
        ({ company }) => `update metric_point set confidence = 'low' where series_id in (
          select id from metric_series where company_id = '${company.id}')`,
        ({ company }) => company.id,
        /without a new data version/,
      ],
      [
        'a revision that was deleted',
        'values',
        ({ company }) => `delete from metric_revision where series_id in (
          select id from metric_series where company_id = '${company.id}')`,
        ({ company }) => expect.stringContaining(`${company.id} cash_balance 2026-09-30`),
        /^its revisions are 2\*/,
      ],
      [
        'a revision without its current value',
        'values',
        ({ company }) => `delete from metric_point where revision > 1 and series_id in (
          select id from metric_series where company_id = '${company.id}')`,
        ({ company }) => expect.stringContaining(`${company.id} cash_balance 2026-09-30`),
        /^its revisions are 1 /,
      ],
      [
        'a portfolio with another company name',
        'names',
        ({ company }) => `update portfolio_membership set company_name = 'Other'
          where company_id = '${company.id}'`,
        ({ company }) => company.id,
        /different name/,
      ],
      [
        'a key with more scopes',
        'settings',
        ({ keyId }) => `update api_key set scopes = '{metrics:read}' where id = '${keyId}'`,
        ({ investor }) => investor.id,
        /^the api_key key_\w+ isn't what the log says: scopes$/,
      ],
      [
        'a key without an entry in the log',
        'settings',
        ({ keyId }) => `insert into api_key select (jsonb_populate_record(key,
            jsonb_build_object('id', 'key_forged' || substr(id, 5), 'digest', sha256(id::bytea)))).*
          from api_key as key where id = '${keyId}'`,
        ({ investor }) => investor.id,
        /^the api_key key_forged\w+ isn't in the log$/,
      ],
      [
        'a person who was deleted',
        'settings',
        ({ contactId }) => `delete from contact where id = '${contactId}'`,
        ({ company }) => company.id,
        /^the contact ct_\w+ is in the log, and isn't stored$/,
      ],
      [
        'a webhook with another address',
        'settings',
        ({ investor }) => `update webhook_endpoint set url = 'https://evil.example/'
          where investor_id = '${investor.id}'`,
        ({ investor }) => investor.id,
        /^the webhook_endpoint we_\w+ isn't what the log says: url$/,
      ],
      [
        'a company that is suspended',
        'settings',
        ({ company }) => `update company set suspended_at = now() where id = '${company.id}'`,
        ({ company }) => company.id,
        /: suspendedAt$/,
      ],
      [
        'a company in another portfolio',
        'settings',
        ({ company, investor }) => `insert into portfolio_membership
            (investor_id, company_id, environment, added_at, company_name)
          select '${investor.id}', id, environment, now(), name from company
          where id <> '${company.id}' and environment = 'live' order by id limit 1`,
        ({ investor }) => investor.id,
        /^the portfolio co_\w+ isn't in the log$/,
      ],
      [
        'a value with another amount',
        'values',
        ({
          company,
        }) => `update metric_point set raw_value = 1 where revision = 1 and series_id in (
          select id from metric_series where company_id = '${company.id}' and key = 'cash_balance')`,
        ({ company }) => expect.stringContaining(`${company.id} cash_balance`),
        /^the signature of revision 1 is wrong$/,
      ],
    ];

    /** Returns a subject that no other test has changed. */
    function takeSubject(): Subject {
      const subject = subjects.pop();
      if (subject === undefined) throw new Error('make more subjects');
      return subject;
    }

    test.each([...consents, ...inThePast, ...others])(
      'find and describe this manipulation: %s',
      async (what, check, text, subjectOf, problem) => {
        const isIn = (forgeries: readonly Forgery[]) => forgeries.some(([name]) => name === what);
        const of = takeSubject();
        const subject = subjectOf(of);
        await forge(text(of));
        expect(await find(check)).toContainEqual({
          ...{ check, subject },
          problem: expect.stringMatching(problem),
        });
        const watched = async (isFull = false) =>
          (await watch(isFull)).map((inconsistency) => inconsistency.subject);
        // The watcher that runs every ten minutes finds current problems. The daily watcher also finds past ones.
        if (isIn(consents)) expect(await watched()).toContain(subject);
        if (isIn(inThePast)) {
          expect(await watched()).not.toContain(subject);
          expect(await watched(true)).toContain(subject);
        }
      },
    );

    test('prevent sign --missing from signing receipts of an access request that differs from its history', async () => {
      const unsigned = async () => {
        const { rows } = await forge(
          'select access_request_id as id from consent_receipt where signature is null',
        ).then((results) => [results].flat().at(-1) as { rows: { id: string }[] });
        return rows.map(({ id }) => id);
      };
      const [of, sound] = [takeSubject(), takeSubject()];
      for (const { id } of [of, sound]) {
        await forge(`update consent_receipt set signature = null, signing_key = null
          where access_request_id = '${id}'`);
      }
      await forge(`update access_request set purpose = 'Sell it.' where id = '${of.id}'`);
      const refused: string[] = [];
      const onRefused = ({ subject }: Inconsistency) => refused.push(subject);
      await side.operator.signMissingReceipts({ confirm, onRefused });
      expect(refused).toContain(of.id);
      expect(await unsigned()).toContain(of.id);
      expect(await unsigned()).not.toContain(sound.id);
    });
  });
});
