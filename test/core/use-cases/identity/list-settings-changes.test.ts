import { describe, expect, test } from 'vitest';
import { changeOfWebhook, service, settingsChange } from '#core';
import { anEntry } from '../../../contracts/builders.ts';
import { prepareChanges } from '../../every-change.ts';
import { aNewcomer, createWorld, expectRefusal, type World } from '../../world.ts';

const url = 'https://hooks.harbor.example/consents';
const email = 'cto@harbor.example';

/** A company with an investor, and every kind of caller that can change their settings. */
async function anInvestorWithCompany() {
  const { world, investor, company, caller } = await aNewcomer();
  const companyId = company.id;
  return {
    ...{ world, investor, companyId, caller },
    person: await world.admitContact(companyId),
    partner: await world.admitInvestorContact(investor.id),
    program: await world.admitCompany(companyId),
  };
}

type Given = Awaited<ReturnType<typeof anInvestorWithCompany>>;

const ofCompany = ({ companyId }: Given) => ({ companyId });
const ofInvestor = ({ investor }: Given) => ({ investorId: investor.id });
type OwnerOf = (given: Given) => { readonly companyId: string } | { readonly investorId: string };

/** Prepare the data for a change, and return the inputs that depend on this data. */
const nothing = () => ({});
const keyOf = async ({ world, companyId }: Given) => ({
  id: (await world.operator.createCompanyKey({ companyId })).key.id,
});
const apiKeyOf = async ({ world, investor }: Given) => ({
  id: (await world.key(investor)).keyId,
});
const contactOf = (ownerOf: OwnerOf) => async (given: Given) => ({
  id: (await given.world.operator.addContact({ ...ownerOf(given), email })).id,
});
const endpointOf = (ownerOf: OwnerOf) => async (given: Given) => ({
  id: (await given.world.operator.addWebhook({ ...ownerOf(given), url })).endpoint.id,
});
const disabledOf = (ownerOf: OwnerOf) => async (given: Given) => {
  const { webhookEndpoints } = given.world.ports;
  const { id } = await endpointOf(ownerOf)(given);
  await webhookEndpoints.disable(id, 'gone', given.world.clock.now(), anEntry());
  return { id };
};
const companyItself = ({ companyId: id }: Given) => ({ id });
const investorItself = ({ investor: { id } }: Given) => ({ id });
const suspendedCompany = async ({ world, companyId: id }: Given) => ({
  id: (await world.operator.suspendCompany({ id })).id,
});
const suspendedInvestor = async ({ world, investor: { id } }: Given) => ({
  id: (await world.operator.suspendInvestor({ id })).id,
});
const otherCompany = async ({ world, investor }: Given) => ({
  ...{ investorId: investor.id, companyId: (await world.company()).id },
});
const pair = (given: Given) => ({ ...ofInvestor(given), ...ofCompany(given) });

/** The type of the log entry, the preparation of the change, and the rest of its input. */
type Act = readonly [type: string, before?: (given: Given) => object, input?: object];

const named = { name: 'New', environment: 'live' };
const scopes = ['companies:read'];

const operatorActs: Readonly<Record<string, Act>> = {
  createCompany: ['company.created', nothing, named],
  createInvestor: ['investor.created', nothing, named],
  renameCompany: ['company.renamed', companyItself, { name: 'New' }],
  suspendCompany: ['company.suspended', companyItself],
  resumeCompany: ['company.resumed', suspendedCompany],
  renameInvestor: ['investor.renamed', investorItself, { name: 'New' }],
  suspendInvestor: ['investor.suspended', investorItself],
  resumeInvestor: ['investor.resumed', suspendedInvestor],
  addToPortfolio: ['portfolio.company_added', otherCompany],
  removeFromPortfolio: ['portfolio.company_removed', pair],
  changeContactRole: ['contact.role_changed', contactOf(ofCompany), { role: 'approver' }],
  createApiKey: ['api_key.created', ofInvestor, { scopes }],
  renameApiKey: ['api_key.renamed', apiKeyOf, { name: 'Nightly' }],
  rotateApiKey: ['api_key.rotated', apiKeyOf],
  revokeApiKey: ['api_key.revoked', apiKeyOf],
  createCompanyKey: ['company_key.created', ofCompany],
  renameCompanyKey: ['company_key.renamed', keyOf, { name: 'Ledger' }],
  rotateCompanyKey: ['company_key.rotated', keyOf],
  revokeCompanyKey: ['company_key.revoked', keyOf],
  addContact: ['contact.added', ofCompany, { email }],
  removeContact: ['contact.removed', contactOf(ofCompany)],
  addWebhook: ['webhook_endpoint.created', ofCompany, { url }],
  removeWebhook: ['webhook_endpoint.removed', endpointOf(ofCompany)],
  enableWebhook: ['webhook_endpoint.enabled', disabledOf(ofCompany)],
  rotateWebhook: ['webhook_endpoint.secret_rotated', endpointOf(ofCompany)],
  setApprovalsRequired: ['company.approval_rule_changed', ofCompany, { required: 2 }],
};

const changing =
  /^(create|rename|suspend|resume|rotate|revoke|remove|add|enable|change)(Company|Investor|ApiKey|CompanyKey|Contact|ContactRole|Webhook)$|^(add|remove).*Portfolio$|^setApprovals/;

const secrets = /svc_[cs]k_(live|test)_[0-9A-Za-z]{32}|whsec_|digest/;

const newest = async (world: World) => (await world.operator.listSettingsChanges()).items[0];

describe('changes of settings by an operator', () => {
  test('are all tested here, so each new use case needs a test of its log entry', () => {
    const changes = Object.keys(createWorld().operator).filter((name) => changing.test(name));
    expect(Object.keys(operatorActs).toSorted()).toEqual(changes.toSorted());
  });

  test.each(Object.entries(operatorActs))(
    'are logged once, in an entry without secrets: %s',
    async (name, [type, before, more]) => {
      const given = await anInvestorWithCompany();
      const { world } = given;
      const input = { ...(await before?.(given)), ...more };
      world.clock.advance(1);
      const known = (await world.operator.listSettingsChanges({ limit: 200 })).items;
      await (world.operator as unknown as UseCases)[name]?.(input);
      const { items } = await world.operator.listSettingsChanges({ limit: 200 });
      expect(items).toHaveLength(known.length + 1);
      expect(items[0]).toMatchObject({
        ...{ id: expect.stringMatching(/^chg_/), type, createdAt: world.clock.now() },
        actor: { type: 'operator', id: null, name: null },
      });
      expect(JSON.stringify(items)).not.toMatch(secrets);
    },
  );
});

type UseCases = Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>;

/** The log entry's type for each settings change by a company or an investor. */
const typeOf: Readonly<Record<string, string>> = {
  ...{ createOwnKey: 'key.created', rotateOwnKey: 'key.rotated', revokeOwnKey: 'key.revoked' },
  ...{ rotateCallingKey: 'key.rotated', addOwnContact: 'contact.added' },
  ...{ changeOwnContactRole: 'contact.role_changed', removeOwnContact: 'contact.removed' },
  createWebhookEndpoint: 'webhook_endpoint.created',
  changeWebhookEndpoint: 'webhook_endpoint.changed',
  removeWebhookEndpoint: 'webhook_endpoint.removed',
  enableWebhookEndpoint: 'webhook_endpoint.enabled',
  rotateWebhookEndpoint: 'webhook_endpoint.secret_rotated',
  setApprovalsRequired: 'company.approval_rule_changed',
};

describe('changes of settings by a company or an investor', () => {
  test.each([
    ['program', 'company_'],
    ['person', 'company_'],
    ['key', 'api_'],
    ['partner', 'api_'],
  ] as const)(
    'are logged once, with the actor and the owner, and without a secret: %s',
    async (kind, prefix) => {
      const world = createWorld();
      const { changes, companyId, investorId } = await prepareChanges({
        ...{ operators: world, callers: world },
      });
      const [useCases, caller, { replayWebhook: _, ...inputs }] = changes[kind];
      const owner = prefix === 'api_' ? { investorId } : { companyId };
      const list = async () =>
        (await world.operator.listSettingsChanges({ ...owner, limit: 200 })).items;
      const actor =
        'contactId' in caller
          ? { type: 'contact', id: caller.contactId, name: caller.email }
          : { type: `${prefix}key`, id: caller.credentialId, name: null };
      const types = {
        ...typeOf,
        ...(kind === 'person' && { pushRecords: 'company_data.entered' }),
      };
      for (const [name, input] of Object.entries(inputs)) {
        world.clock.advance(1);
        const before = await list();
        await (useCases as unknown as UseCases)[name]?.(caller, input);
        const added = (await list()).slice(0, -before.length);
        const type = (types as typeof typeOf)[name]?.replace(/^key/, `${prefix}key`);
        const entry = { type, actor, createdAt: world.clock.now() };
        expect(added, name).toMatchObject(type === undefined ? [] : [entry]);
      }
      expect(JSON.stringify(await list())).not.toMatch(secrets);
    },
  );
});

describe('the settings log', () => {
  test('contains the email address of the actor, and of the contact that the actor removed', async () => {
    const given = await anInvestorWithCompany();
    const { world, person, companyId } = given;
    const { id } = await contactOf(ofCompany)(given);
    await world.companies.removeOwnContact(person, { id });
    expect(await newest(world)).toMatchObject({
      companyId,
      investorId: null,
      actor: { type: 'contact', id: person.contactId, name: person.email },
      subject: { type: 'contact', id, name: email },
      changes: { email: { from: email, to: null } },
    });
  });

  test('contains the old and the new value of each changed field', async () => {
    const given = await anInvestorWithCompany();
    const { world, investor, companyId } = given;
    const { operator } = world;
    const changesBy = async (act: Promise<unknown>) => {
      world.clock.advance(1);
      await act;
      const { subject, changes } = (await newest(world)) ?? expect.fail();
      return { [`${subject.type} ${subject.name}`]: changes };
    };
    const company = await operator.renameCompany({ id: companyId, name: 'Harbor' });
    const suspended = operator.suspendCompany({ id: companyId });
    expect(await changesBy(suspended)).toEqual({
      'company Harbor': { suspendedAt: { from: null, to: expect.any(String) } },
    });
    expect(await changesBy(operator.addContact({ ...ofInvestor(given), email }))).toEqual({
      [`contact ${email}`]: {
        email: { from: null, to: email },
        role: { from: null, to: 'viewer' },
      },
    });
    expect(await changesBy(operator.addWebhook({ ...ofInvestor(given), url }))).toEqual({
      [`webhook_endpoint ${url}`]: { url: { from: null, to: url }, types: { from: null, to: [] } },
    });
    const disabled = await disabledOf(ofInvestor)(given);
    expect(await changesBy(operator.enableWebhook(disabled))).toEqual({
      [`webhook_endpoint ${url}`]: { disabledReason: { from: 'gone', to: null } },
    });
    expect(await changesBy(operator.removeFromPortfolio(pair(given)))).toEqual({
      [`company ${company.name}`]: { portfolioOf: { from: investor.name, to: null } },
    });
    expect(await changesBy(operator.addToPortfolio(pair(given)))).toEqual({
      [`company ${company.name}`]: { portfolioOf: { from: null, to: investor.name } },
    });
    const { key } = await operator.createApiKey({
      ...{ investorId: investor.id, scopes: ['companies:read'], rateLimit: 7 },
    });
    const shown = { hint: key.hint, scopes: ['companies:read'], rateLimit: 7 };
    expect(await changesBy(operator.renameApiKey({ id: key.id, name: 'CI' }))).toEqual({
      [`api_key ${key.hint}`]: { name: { from: null, to: 'CI' } },
    });
    const rotation = operator.rotateApiKey({ id: key.id });
    expect(await changesBy(rotation)).toEqual({
      'api_key CI': {
        hint: { from: key.hint, to: (await rotation).key.hint },
        expiresAt: { from: null, to: expect.any(String) },
        replacedBy: { from: null, to: (await rotation).key.id },
      },
    });
    expect(await changesBy(operator.revokeApiKey({ id: key.id }))).toEqual({
      'api_key CI': {
        name: { from: 'CI', to: null },
        expiresAt: { from: expect.any(String), to: null },
        ...Object.fromEntries(
          Object.entries(shown).map(([name, from]) => [name, { from, to: null }]),
        ),
      },
    });
    const [told] = Object.values(
      await changesBy(operator.createCompanyKey({ companyId, source: 'Ledger' })),
    );
    expect(told).toMatchObject({ source: { from: null, to: 'Ledger' } });
  });

  test('contains neither refused changes nor API calls that changed nothing', async () => {
    const given = await anInvestorWithCompany();
    const { world, companyId, investor, person } = given;
    const endpoint = await endpointOf(ofCompany)(given);
    const before = await newest(world);
    await world.operator.addToPortfolio({ investorId: investor.id, companyId });
    await world.operator.enableWebhook(endpoint);
    await world.operator.resumeCompany({ id: companyId });
    const own = { id: person.contactId, role: 'admin' } as const;
    await world.companies.changeOwnContactRole(person, own);
    await expectRefusal(
      world.companies.addOwnContact(person, { email: person.email }),
      'contact_exists',
    );
    expect(await newest(world)).toEqual(before);
  });

  test('shows a company and an investor their own changes and the changes that affect both', async () => {
    const { world, investor, companyId, program, caller } = await anInvestorWithCompany();
    const other = (await world.portfolio()).company.id;
    await world.operator.addWebhook({ companyId: other, url });
    const own = (await world.companies.listOwnSettingsChanges(program)).items;
    const investors = (await world.callers.listOwnSettingsChanges(caller)).items;
    expect(new Set(own.map((change) => change.companyId))).toEqual(new Set([companyId]));
    expect(new Set(investors.map((change) => change.investorId))).toEqual(new Set([investor.id]));
    const shared = own.filter((change) => change.investorId !== null);
    expect(shared.map(({ type }) => type)).toEqual(['portfolio.company_added']);
    expect(investors).toContainEqual(shared[0]);
    expect(JSON.stringify([own, investors])).not.toContain(other);
    const { operator } = world;
    expect((await operator.listSettingsChanges({ companyId })).items).toEqual(own);
    const ofInvestorAlone = await operator.listSettingsChanges({ investorId: investor.id });
    expect(ofInvestorAlone.items).toEqual(investors);
  });

  test('is returned in pages, newest entries first', async () => {
    const { world, program } = await anInvestorWithCompany();
    const all = (await world.companies.listOwnSettingsChanges(program)).items;
    const first = await world.companies.listOwnSettingsChanges(program, { limit: 1 });
    const { nextCursor: cursor } = first;
    const rest = await world.companies.listOwnSettingsChanges(program, { cursor });
    expect(first.items).toHaveLength(1);
    expect([...first.items, ...rest.items]).toEqual(all);
    expect(all.length).toBeGreaterThan(2);
  });

  test('shows the service as the actor if the service disables an endpoint without a receiver', async () => {
    const given = await anInvestorWithCompany();
    const { world } = given;
    const { id } = await endpointOf(ofCompany)(given);
    const endpoint = await world.ports.webhookEndpoints.find(id);
    const change = settingsChange(
      world.ports.ids,
      world.clock.now(),
      service,
      changeOfWebhook('disabled', endpoint, endpoint),
    );
    for (let time = 0; time < 2; time += 1) {
      await world.ports.webhookEndpoints.disable(id, 'gone', world.clock.now(), change);
    }
    expect(await newest(world)).toMatchObject({ id: change.id, actor: { type: 'service' } });
  });
});

describe('a mail about changed settings', () => {
  const sent = async (world: World) =>
    (await world.background.claimMails(100)).filter((mail) => mail.kind === 'settings_changed');

  test('goes to all contacts who can manage the settings, except a contact who was just added', async () => {
    const { world, companyId, person } = await anInvestorWithCompany();
    await sent(world);
    await world.companies.addOwnContact(person, { email, role: 'admin' });
    const [mail = expect.fail(), ...others] = await sent(world);
    expect([mail.to, others]).toEqual([person.email, []]);
    expect(mail).toMatchObject({
      change: { type: 'contact.added', subject: { name: email }, actor: { name: person.email } },
      name: (await world.ports.directory.findCompany(companyId))?.name,
    });
  });

  test('is also sent about new keys and webhooks, but not about routine changes such as a revocation', async () => {
    const given = await anInvestorWithCompany();
    const { world, program } = given;
    await sent(world);
    const { key } = await world.companies.createOwnKey(program);
    await endpointOf(ofCompany)(given);
    await world.companies.revokeOwnKey(program, { id: key.id });
    const types = (await sent(world)).map(({ change }) => change.type);
    expect(types.toSorted()).toEqual(['company_key.created', 'webhook_endpoint.created']);
  });

  test('also goes to the contact whose role was changed, so that an admin notices the loss of this role', async () => {
    const { world, companyId, person } = await anInvestorWithCompany();
    const { id } = await world.operator.addContact({ companyId, email, role: 'admin' });
    await sent(world);
    await world.companies.changeOwnContactRole(person, { id, role: 'viewer' });
    const told = (await sent(world)).map(({ to }) => to);
    expect(told.toSorted()).toEqual([person.email, email].toSorted());
  });

  test('goes to removed contacts, even if they were removed before the mail could be sent', async () => {
    const { world, companyId, person } = await anInvestorWithCompany();
    const [second, intruder] = [email, 'intruder@elsewhere.example'];
    await world.operator.addContact({ companyId, email: second, role: 'admin' });
    await sent(world);
    await world.companies.addOwnContact(person, { email: intruder, role: 'admin' });
    for (const contact of await world.operator.listContacts({ companyId })) {
      if (contact.email !== intruder) await world.operator.removeContact({ id: contact.id });
    }
    const told = (await sent(world)).map(({ to, change }) => [to, change.type]);
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
