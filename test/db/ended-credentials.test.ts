import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActingCredential, Ids } from '#core';
import { type Database, openDatabase } from '#db';
import { createId } from '../../gateway/ids.ts';
import { withoutKey } from '../core/builders.ts';
import {
  type Kind,
  type Prepared,
  prepareChanges,
  tryChanges,
  type Worlds,
} from '../core/every-change.ts';
import { createWorld } from '../core/world.ts';
import { describeOnPostgres, untilSomeoneWaits, withClient } from '../support/databases.ts';
import { createRoles, type Roles } from '../support/roles.ts';

const ids: Ids = { next: createId };

const worldOn = (database: Database) =>
  createWorld(() => ({
    ...database.repositories,
    ...withoutKey(),
    ids,
    clock: { now: () => database.clock.now() },
  }));

/** Takes the same lock as the use case. */
const suspend = (table: string) => `
  with locked as materialized (select id from ${table} where id = $1 for update)
  update ${table} set suspended_at = now() from locked where ${table}.id = locked.id`;

/** Ways to end a credential: the kind of caller, the SQL statement, and the id of the changed row. */
const ends: Readonly<Record<string, readonly [Kind, string, (given: Prepared) => string]>> = {
  'a company key is revoked': [
    'program',
    'update company_key set revoked_at = now() where id = $1',
    ({ companyKey }) => companyKey.id,
  ],
  'a company is suspended': ['program', suspend('company'), ({ companyId }) => companyId],
  'the company of a person is suspended': [
    'person',
    suspend('company'),
    ({ companyId }) => companyId,
  ],
  'an investor is suspended': ['key', suspend('investor'), ({ investorId }) => investorId],
  'the investor of a person is suspended': [
    'partner',
    suspend('investor'),
    ({ investorId }) => investorId,
  ],
  'an API key is revoked': [
    'key',
    'update api_key set revoked_at = now() where id = $1',
    ({ keyId }) => keyId,
  ],
  'a person of a company signs out': [
    'person',
    'delete from desk_session where id = $1',
    ({ callers }) => callers.person.credentialId,
  ],
  'a person of a company is removed': [
    'person',
    'delete from contact where id = $1',
    ({ callers }) => callers.person.contactId,
  ],
  'a person of a company becomes a viewer': [
    'person',
    `update contact set role = 'viewer' where id = $1`,
    ({ callers }) => callers.person.contactId,
  ],
  'a person of an investor signs out': [
    'partner',
    'delete from desk_session where id = $1',
    ({ callers }) => callers.partner.credentialId,
  ],
  'a person of an investor is removed': [
    'partner',
    'delete from contact where id = $1',
    ({ callers }) => callers.partner.contactId,
  ],
  'a person of an investor becomes a viewer': [
    'partner',
    `update contact set role = 'viewer' where id = $1`,
    ({ callers }) => callers.partner.contactId,
  ],
};

/** A change for each kind of transaction that checks the credential again. */
const ofCompany = [
  'approveRequest',
  'pushRecords',
  'createOwnKey',
  'addOwnContact',
  'createWebhookEndpoint',
  'rotateWebhookEndpoint',
  'replayWebhook',
  'testWebhookEndpoint',
];

/** Pairs each kind of transaction with one end of its credential, and each end with one transaction. */
const races: readonly (readonly [change: string, end: string])[] = [
  ...ofCompany.map((change) => [change, 'a company key is revoked'] as const),
  ['approveRequest', 'a person of a company signs out'],
  ['pushRecords', 'a person of a company becomes a viewer'],
  ['createOwnKey', 'a company is suspended'],
  ['addOwnContact', 'the company of a person is suspended'],
  ['requestAccess', 'an investor is suspended'],
  ['requestAccess', 'the investor of a person is suspended'],
  ['rotateCallingKey', 'an API key is revoked'],
  ['removeOwnContact', 'a person of an investor is removed'],
  ['createOwnKey', 'a person of an investor becomes a viewer'],
];

await describeOnPostgres('a change by the least-privileged roles', (createDatabase) => {
  let url: string;
  let roles: Roles;
  let databases: readonly Database[];
  let worlds: Worlds;

  beforeAll(async () => {
    url = (await createDatabase()).url;
    roles = await createRoles(url);
    const open = (databaseUrl: string) =>
      openDatabase({ databaseUrl, dataDir: '', role: 'service' });
    const [ofOperators, ofService] = [await open(roles.operatorUrl), await open(roles.serviceUrl)];
    databases = [ofOperators, ofService];
    worlds = { operators: worldOn(ofOperators), callers: worldOn(ofService) };
  });
  afterAll(async () => {
    for (const database of databases) await database.close();
    await roles.drop();
  });

  describe('that begins while another transaction ends its credential', () => {
    test.each(races)(
      'waits for the other transaction, and is then rejected: %s, while %s',
      async (change, name) => {
        const [kind, statement, idOf] = ends[name] ?? expect.fail();
        const prepared = await prepareChanges(worlds, change);
        const before = await prepared.look();
        const attempt = await withClient(url, async (owner) => {
          await owner.query('begin');
          await owner.query(statement, [idOf(prepared)]);
          const made = tryChanges(prepared, kind);
          await untilSomeoneWaits(url);
          await owner.query('commit');
          return made;
        });
        expect(attempt[change]).toMatch(/^(invalid_api_key|insufficient_role)$/);
        const after = await prepared.look();
        for (const what of [
          'changes',
          'webhooks',
          'received',
          'sent',
          'metrics',
          'tested',
        ] as const) {
          expect(after[what], what).toEqual(before[what]);
        }
      },
    );
  });

  describe('that has already checked its credential', () => {
    const sessionOf = <Owner>(caller: Prepared['callers']['person' | 'partner'], owner: Owner) =>
      ({ type: 'session', id: caller.credentialId, contactId: caller.contactId, owner }) as const;
    const credentialOf = ({ callers, companyId, companyKey, keyId, investorId }: Prepared) =>
      ({
        program: { type: 'company_key', id: companyKey.id, owner: { companyId } },
        key: { type: 'api_key', id: keyId, owner: { investorId } },
        person: sessionOf(callers.person, { companyId }),
        partner: sessionOf(callers.partner, { investorId }),
      }) as const;

    async function race(kind: Kind, prepared: Prepared, end: () => Promise<unknown>) {
      const credential: ActingCredential = { ...credentialOf(prepared)[kind], require: () => {} };
      const [checked, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const order: string[] = [];
      const changing = worlds.callers.ports.accessRequests
        .transact(credential, async () => {
          checked.resolve();
          await mayEnd.promise;
        })
        .then(() => order.push('changed'));
      await checked.promise;
      const ending = end().then(() => order.push('ended'));
      await untilSomeoneWaits(url);
      expect(order).toEqual([]);
      mayEnd.resolve();
      await Promise.all([changing, ending]);
      expect(order).toHaveLength(2);
    }

    test.each(Object.entries(ends))(
      'is committed before the credential can end because %s',
      async (_, [kind, statement, idOf]) => {
        const prepared = await prepareChanges(worlds, 'none');
        await race(kind, prepared, () =>
          withClient(url, (owner) => owner.query(statement, [idOf(prepared)])),
        );
      },
    );

    test.each(['program', 'person'] as const)(
      'is committed before an operator can suspend the company: a change by a %s',
      async (kind) => {
        const prepared = await prepareChanges(worlds, 'none');
        await race(kind, prepared, () =>
          worlds.operators.operator.suspendCompany({ id: prepared.companyId }),
        );
      },
    );
  });

  test('keeps one admin if two admins remove each other at the same time', async () => {
    const { operators, callers } = worlds;
    const { companyId, callers: who } = await prepareChanges(worlds, 'none');
    const email = `${createId('rec')}@harbor.example`;
    await operators.operator.addContact({ companyId, email, role: 'admin' });
    const { token } = await operators.operator.createSignInLink({ companyId, email });
    const opened = await callers.contacts.signIn({ token, previousSession: null, device: null });
    const other = await callers.admitSession(opened?.session ?? '');
    if (other.kind !== 'contact') expect.fail();
    const { person } = who;
    const outcomes = await Promise.allSettled([
      callers.companies.removeOwnContact(person, { id: other.contactId }),
      callers.companies.removeOwnContact(other, { id: person.contactId }),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const left = await operators.operator.listContacts({ companyId });
    expect(left.filter(({ role }) => role === 'admin')).toHaveLength(1);
  });
});
