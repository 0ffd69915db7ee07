import { describe, expect, test } from 'vitest';
import { createMessage } from '../../../../gateway/mail/message.ts';
import { createWorld, expectRefusal, type World } from '../../world.ts';

const url = 'https://hooks.harbor.example/consents';
const hourly = { overlapMilliseconds: 3_600_000 };
const links = { docs: null, desk: 'https://access.example/desk' };

/** A company with an investor, and everybody who can change its settings. */
async function anInvestorWithCompany() {
  const world = createWorld();
  const { investor, company, key } = await world.portfolio();
  const companyId = company.id;
  const person = await world.admitContact(companyId);
  return { world, investor, companyId, key, person, program: await world.admitCompany(companyId) };
}

type Given = Awaited<ReturnType<typeof anInvestorWithCompany>>;

const keyOf = async ({ world, companyId }: Given) =>
  (await world.operator.createCompanyKey({ companyId })).key.id;
const apiKeyOf = async ({ world, investor }: Given) => (await world.key(investor)).keyId;
const endpointOf = async ({ world, companyId }: Given) =>
  (await world.operator.addWebhook({ companyId, url })).endpoint.id;
const personOf = ({ world, investor }: Given) => world.admitInvestorContact(investor.id);
const contactOfInvestor = async ({ world, investor }: Given) =>
  (await world.operator.addContact({ investorId: investor.id, email: 'cto@fund.example' })).id;
const contactOf = async ({ world, companyId }: Given) =>
  (await world.operator.addContact({ companyId, email: 'cto@harbor.example' })).id;
const investorEndpointOf = async ({ world, investor }: Given) =>
  (await world.operator.addWebhook({ investorId: investor.id, url })).endpoint.id;

/** The person is there before the act, which is to be the only change. */
const afterPerson =
  (prepare?: (given: Given) => Promise<string>) =>
  async (given: Given): Promise<string> => {
    await personOf(given);
    return prepare?.(given) ?? '';
  };

/** What prepares an act, and the act with what was prepared. */
interface Act {
  readonly type: string;
  readonly before?: (given: Given) => Promise<string>;
  readonly act: (given: Given, id: string) => Promise<unknown>;
}

const disable = ({ world }: Given, id: string) =>
  world.ports.webhookEndpoints.disable(id, 'gone', world.clock.now(), []);
const disabledOf = async (given: Given) => {
  const id = await endpointOf(given);
  await disable(given, id);
  return id;
};
const disabledOfInvestor = async (given: Given) => {
  const id = await investorEndpointOf(given);
  await disable(given, id);
  return id;
};

const operatorActs: Readonly<Record<string, Act>> = {
  createCompany: { type: 'company.created', act: ({ world }) => world.company() },
  createInvestor: { type: 'investor.created', act: ({ world }) => world.investor() },
  renameCompany: {
    type: 'company.renamed',
    act: ({ world, companyId: id }) => world.operator.renameCompany({ id, name: 'New' }),
  },
  suspendCompany: {
    type: 'company.suspended',
    act: ({ world, companyId: id }) => world.operator.suspendCompany({ id }),
  },
  resumeCompany: {
    type: 'company.resumed',
    before: async ({ world, companyId: id }) => (await world.operator.suspendCompany({ id })).id,
    act: ({ world }, id) => world.operator.resumeCompany({ id }),
  },
  renameInvestor: {
    type: 'investor.renamed',
    act: ({ world, investor: { id } }) => world.operator.renameInvestor({ id, name: 'New' }),
  },
  suspendInvestor: {
    type: 'investor.suspended',
    act: ({ world, investor: { id } }) => world.operator.suspendInvestor({ id }),
  },
  resumeInvestor: {
    type: 'investor.resumed',
    before: async ({ world, investor: { id } }) =>
      (await world.operator.suspendInvestor({ id })).id,
    act: ({ world }, id) => world.operator.resumeInvestor({ id }),
  },
  addToPortfolio: {
    type: 'portfolio.company_added',
    before: async ({ world }) => (await world.company()).id,
    act: ({ world, investor }, companyId) =>
      world.operator.addToPortfolio({ investorId: investor.id, companyId }),
  },
  removeFromPortfolio: {
    type: 'portfolio.company_removed',
    act: ({ world, investor, companyId }) =>
      world.operator.removeFromPortfolio({ investorId: investor.id, companyId }),
  },
  changeContactRole: {
    type: 'contact.role_changed',
    before: contactOf,
    act: ({ world }, id) => world.operator.changeContactRole({ id, role: 'approver' }),
  },
  createApiKey: { type: 'api_key.created', act: apiKeyOf },
  renameApiKey: {
    type: 'api_key.renamed',
    before: apiKeyOf,
    act: ({ world }, id) => world.operator.renameApiKey({ id, name: 'Nightly' }),
  },
  rotateApiKey: {
    type: 'api_key.rotated',
    before: apiKeyOf,
    act: ({ world }, id) => world.operator.rotateApiKey({ id, ...hourly }),
  },
  revokeApiKey: {
    type: 'api_key.revoked',
    before: apiKeyOf,
    act: ({ world }, id) => world.operator.revokeApiKey({ id }),
  },
  createCompanyKey: { type: 'company_key.created', act: keyOf },
  renameCompanyKey: {
    type: 'company_key.renamed',
    before: keyOf,
    act: ({ world }, id) => world.operator.renameCompanyKey({ id, name: 'Ledger' }),
  },
  rotateCompanyKey: {
    type: 'company_key.rotated',
    before: keyOf,
    act: ({ world }, id) => world.operator.rotateCompanyKey({ id, ...hourly }),
  },
  revokeCompanyKey: {
    type: 'company_key.revoked',
    before: keyOf,
    act: ({ world }, id) => world.operator.revokeCompanyKey({ id }),
  },
  addContact: { type: 'contact.added', act: contactOf },
  removeContact: {
    type: 'contact.removed',
    before: contactOf,
    act: ({ world }, id) => world.operator.removeContact({ id }),
  },
  addWebhook: { type: 'webhook_endpoint.created', act: endpointOf },
  removeWebhook: {
    type: 'webhook_endpoint.removed',
    before: endpointOf,
    act: ({ world }, id) => world.operator.removeWebhook({ id }),
  },
  enableWebhook: {
    type: 'webhook_endpoint.enabled',
    before: disabledOf,
    act: ({ world }, id) => world.operator.enableWebhook({ id }),
  },
  rotateWebhook: {
    type: 'webhook_endpoint.secret_rotated',
    before: endpointOf,
    act: ({ world }, id) => world.operator.rotateWebhook({ id }),
  },
};

const companyActs: Readonly<Record<string, Act>> = {
  createOwnKey: {
    type: 'company_key.created',
    act: ({ world, program }) => world.companies.createOwnKey(program),
  },
  rotateOwnKey: {
    type: 'company_key.rotated',
    before: keyOf,
    act: ({ world, program }, id) => world.companies.rotateOwnKey(program, { id }),
  },
  revokeOwnKey: {
    type: 'company_key.revoked',
    before: keyOf,
    act: ({ world, program }, id) => world.companies.revokeOwnKey(program, { id }),
  },
  addOwnContact: {
    type: 'contact.added',
    act: ({ world, person }) =>
      world.companies.addOwnContact(person, { email: 'cto@harbor.example' }),
  },
  changeOwnContactRole: {
    type: 'contact.role_changed',
    before: contactOf,
    act: ({ world, person }, id) =>
      world.companies.changeOwnContactRole(person, { id, role: 'approver' }),
  },
  removeOwnContact: {
    type: 'contact.removed',
    before: contactOf,
    act: ({ world, person }, id) => world.companies.removeOwnContact(person, { id }),
  },
  createWebhookEndpoint: {
    type: 'webhook_endpoint.created',
    act: ({ world, program }) => world.companies.createWebhookEndpoint(program, { url }),
  },
  removeWebhookEndpoint: {
    type: 'webhook_endpoint.removed',
    before: endpointOf,
    act: ({ world, program }, id) => world.companies.removeWebhookEndpoint(program, { id }),
  },
  enableWebhookEndpoint: {
    type: 'webhook_endpoint.enabled',
    before: disabledOf,
    act: ({ world, program }, id) => world.companies.enableWebhookEndpoint(program, { id }),
  },
  rotateWebhookEndpoint: {
    type: 'webhook_endpoint.secret_rotated',
    before: endpointOf,
    act: ({ world, program }, id) => world.companies.rotateWebhookEndpoint(program, { id }),
  },
};

const investorActs: Readonly<Record<string, Act>> = {
  addOwnContact: {
    type: 'contact.added',
    before: afterPerson(),
    act: async (given) =>
      given.world.callers.addOwnContact(await personOf(given), { email: 'cfo@fund.example' }),
  },
  changeOwnContactRole: {
    type: 'contact.role_changed',
    before: afterPerson(contactOfInvestor),
    act: async (given, id) =>
      given.world.callers.changeOwnContactRole(await personOf(given), { id, role: 'member' }),
  },
  removeOwnContact: {
    type: 'contact.removed',
    before: afterPerson(contactOfInvestor),
    act: async (given, id) => given.world.callers.removeOwnContact(await personOf(given), { id }),
  },
  createOwnKey: {
    type: 'api_key.created',
    before: afterPerson(),
    act: async (given) =>
      given.world.callers.createOwnKey(await personOf(given), {
        scopes: ['companies:read'],
        expiresAt: null,
      }),
  },
  rotateOwnKey: {
    type: 'api_key.rotated',
    before: afterPerson(apiKeyOf),
    act: async (given, id) =>
      given.world.callers.rotateOwnKey(await personOf(given), { id, ...hourly }),
  },
  revokeOwnKey: {
    type: 'api_key.revoked',
    before: afterPerson(apiKeyOf),
    act: async (given, id) => given.world.callers.revokeOwnKey(await personOf(given), { id }),
  },
  rotateCallingKey: {
    type: 'api_key.rotated',
    act: async ({ world, key }) => world.callers.rotateCallingKey(await world.admit(key)),
  },
  createWebhookEndpoint: {
    type: 'webhook_endpoint.created',
    act: async ({ world, key }) =>
      world.callers.createWebhookEndpoint(await world.admit(key), { url }),
  },
  removeWebhookEndpoint: {
    type: 'webhook_endpoint.removed',
    before: investorEndpointOf,
    act: async ({ world, key }, id) =>
      world.callers.removeWebhookEndpoint(await world.admit(key), { id }),
  },
  enableWebhookEndpoint: {
    type: 'webhook_endpoint.enabled',
    before: disabledOfInvestor,
    act: async ({ world, key }, id) =>
      world.callers.enableWebhookEndpoint(await world.admit(key), { id }),
  },
  rotateWebhookEndpoint: {
    type: 'webhook_endpoint.secret_rotated',
    before: investorEndpointOf,
    act: async ({ world, key }, id) =>
      world.callers.rotateWebhookEndpoint(await world.admit(key), { id }),
  },
};

/** By their names, what an audience does to settings; everything else that it does is not among them. */
const changing =
  /^(change|create|rename|suspend|resume|rotate|revoke|remove|add|enable)(Own)?(Company|Investor|ApiKey|CompanyKey|Key|CallingKey|Contact|ContactRole|Webhook|WebhookEndpoint)$|Portfolio$/;
const reading = /^(list|read|page|watch)/;

const changesOf = (useCases: object) =>
  Object.keys(useCases).filter((name) => changing.test(name) && !reading.test(name));

const newest = async (world: World) => (await world.operator.listSettingsChanges()).items[0];

const audiences = [
  ['the operator', 'operator', operatorActs, ['operator']],
  ['a company', 'companies', companyActs, ['company_key', 'contact']],
  ['an investor', 'callers', investorActs, ['api_key', 'contact']],
] as const;

describe.each(audiences)('what %s changes of settings', (_, audience, acts, actors) => {
  test('is all tried here: an act that is new needs its entry', () => {
    expect(Object.keys(acts).toSorted()).toEqual(changesOf(createWorld()[audience]).toSorted());
  });

  test.each(Object.entries(acts))(
    'is in the log with who did it, once, and without a secret: %s',
    async (_name, { type, before, act }) => {
      const given = await anInvestorWithCompany();
      const { world } = given;
      const prepared = (await before?.(given)) ?? '';
      world.clock.advance(1);
      const known = (await world.operator.listSettingsChanges({ limit: 200 })).items;
      await act(given, prepared);
      const { items } = await world.operator.listSettingsChanges({ limit: 200 });
      expect(items).toHaveLength(known.length + 1);
      expect(items[0]).toMatchObject({
        id: expect.stringMatching(/^chg_/),
        type,
        createdAt: world.clock.now(),
      });
      expect(actors).toContain(items[0]?.actor.type);
      expect(JSON.stringify(items)).not.toMatch(
        /svc_[cs]k_(live|test)_[0-9A-Za-z]{32}|whsec_|digest/,
      );
    },
  );
});

describe('the log of settings', () => {
  test('names the person, with the address that it had, and what was there before', async () => {
    const given = await anInvestorWithCompany();
    const { world, person, companyId } = given;
    const id = await contactOf(given);
    await world.companies.removeOwnContact(person, { id });
    expect(await newest(world)).toMatchObject({
      companyId,
      investorId: null,
      actor: { type: 'contact', id: person.contactId, name: person.email },
      subject: { type: 'contact', id, name: 'cto@harbor.example' },
      changes: { email: { from: 'cto@harbor.example', to: null } },
    });
  });

  test('has nothing of what was refused or has changed nothing', async () => {
    const given = await anInvestorWithCompany();
    const { world, companyId, investor, person } = given;
    const endpoint = await endpointOf(given);
    const { id } = (await world.operator.listSettingsChanges()).items[0] ?? {};
    await world.operator.addToPortfolio({ investorId: investor.id, companyId });
    await world.operator.enableWebhook({ id: endpoint });
    await world.operator.resumeCompany({ id: companyId });
    await expectRefusal(
      world.companies.addOwnContact(person, { email: person.email }),
      'contact_exists',
    );
    expect((await newest(world))?.id).toBe(id);
  });

  test('tells each side its own, and both what is between them', async () => {
    const { world, investor, companyId, program, key } = await anInvestorWithCompany();
    const other = await aStageBeside(world);
    const ofCompany = (await world.companies.listOwnSettingsChanges(program)).items;
    const ofInvestor = (await world.callers.listOwnSettingsChanges(await world.admit(key))).items;
    expect(new Set(ofCompany.map((change) => change.companyId))).toEqual(new Set([companyId]));
    expect(new Set(ofInvestor.map((change) => change.investorId))).toEqual(new Set([investor.id]));
    const shared = ofCompany.filter((change) => change.investorId !== null);
    expect(shared.map(({ type }) => type)).toEqual(['portfolio.company_added']);
    expect(ofInvestor).toContainEqual(shared[0]);
    expect(JSON.stringify([ofCompany, ofInvestor])).not.toContain(other);
  });

  test('comes in pages, newest first', async () => {
    const { world, program } = await anInvestorWithCompany();
    const all = (await world.companies.listOwnSettingsChanges(program)).items;
    const first = await world.companies.listOwnSettingsChanges(program, { limit: 1 });
    const { nextCursor: cursor } = first;
    const rest = await world.companies.listOwnSettingsChanges(program, { cursor });
    expect([...first.items, ...rest.items]).toEqual(all);
    expect(all.length).toBeGreaterThan(2);
  });

  test('tells that a receiver is gone, by the service itself', async () => {
    const given = await anInvestorWithCompany();
    const { world } = given;
    const id = await endpointOf(given);
    const { settingsChange, changeOfWebhook, service } = await import('#core');
    const endpoint = await world.ports.webhookEndpoints.find(id);
    const change = settingsChange(
      world.ports.ids,
      world.clock.now(),
      service,
      changeOfWebhook('disabled', endpoint, endpoint),
    );
    for (let time = 0; time < 2; time += 1) {
      await world.ports.webhookEndpoints.disable(id, 'gone', world.clock.now(), [], change);
    }
    expect(await newest(world)).toMatchObject({ id: change.id, actor: { type: 'service' } });
  });
});

async function aStageBeside(world: World): Promise<string> {
  const { company } = await world.portfolio();
  await world.operator.addWebhook({ companyId: company.id, url });
  return company.id;
}

describe('a mail about a change of settings', () => {
  const sent = async (world: World) =>
    (await world.background.claimMails(100)).filter(({ kind }) => kind === 'settings_changed');

  test('goes to those who manage them, not to the person who was added', async () => {
    const { world, companyId, person } = await anInvestorWithCompany();
    const email = 'intruder@elsewhere.example';
    await world.companies.addOwnContact(person, { email, role: 'admin' });
    const mails = await sent(world);
    const ofAddition = mails.filter(
      (mail) => mail.kind === 'settings_changed' && mail.change.type === 'contact.added',
    );
    expect(ofAddition.map(({ to }) => to)).toEqual([person.email]);
    const [mail] = ofAddition;
    if (mail === undefined) throw new Error('no mail was written');
    const { subject, text } = createMessage(mail, links);
    const { name } = await world.operator
      .listCompanies()
      .then((all) => all.find(({ id }) => id === companyId) ?? { name: '' });
    expect(subject).toBe(`A person was added: ${name}`);
    expect(text).toContain('Eine Person wurde hinzugefügt');
    expect(text).toContain('If not, somebody else may be in');
    expect(text).toMatch(/By cfo@harbor.{0,1}\.\u200Cexample|By cfo/);
    expect(text).toContain(links.desk);
  });

  test('is sent of a key and of a webhook too, and of nothing that is usual', async () => {
    const given = await anInvestorWithCompany();
    const { world, program } = given;
    await sent(world);
    const { key } = await world.companies.createOwnKey(program);
    await endpointOf(given);
    await world.companies.revokeOwnKey(program, { id: key.id });
    const types = (await sent(world)).map((mail) =>
      mail.kind === 'settings_changed' ? mail.change.type : '',
    );
    expect(types.toSorted()).toEqual(['company_key.created', 'webhook_endpoint.created']);
  });

  test('reaches whoever has another role, so that no admin is silenced unnoticed', async () => {
    const { world, companyId, person } = await anInvestorWithCompany();
    const { id } = await world.operator.addContact({
      ...{ companyId, email: 'cto@harbor.example', role: 'admin' },
    });
    await sent(world);
    await world.companies.changeOwnContactRole(person, { id, role: 'viewer' });
    const told = (await sent(world)).map(({ to }) => to);
    expect(told.toSorted()).toEqual([person.email, 'cto@harbor.example'].toSorted());
  });

  test('reaches whoever is removed, and those who are removed before it is sent', async () => {
    const { world, companyId, person } = await anInvestorWithCompany();
    const [second, intruder] = ['cto@harbor.example', 'intruder@elsewhere.example'];
    await world.operator.addContact({ companyId, email: second, role: 'admin' });
    await sent(world);
    await world.companies.addOwnContact(person, { email: intruder, role: 'admin' });
    for (const { id, email } of await world.operator.listContacts({ companyId })) {
      if (email !== intruder) await world.operator.removeContact({ id });
    }
    const told = (await sent(world)).map((mail) => [
      mail.to,
      mail.kind === 'settings_changed' ? mail.change.type : '',
    ]);
    expect(told).toEqual(
      expect.arrayContaining([
        [person.email, 'contact.added'],
        [second, 'contact.added'],
        [person.email, 'contact.removed'],
        [second, 'contact.removed'],
      ]),
    );
  });
});
