import { expect } from 'vitest';
import {
  type CompanyCaller,
  type ContactCaller,
  changeOfWebhook,
  choicesOf,
  type InvestorContactCaller,
  type InvestorKeyCaller,
  parseExactJson,
  service,
  settingsChange,
} from '#core';
import { metricLine } from './builders.ts';
import { day, later, type World } from './world.ts';

const url = 'https://hooks.harbor.example/consents';

export interface Worlds {
  readonly operators: World;
  readonly callers: World;
}

/**
 * Prepares a company, an investor, a caller of each kind, and the data that each change needs.
 *
 * @param only the name of a single change to prepare, or null to prepare all changes
 */
export async function prepareChanges({ operators, callers }: Worlds, only: string | null = null) {
  const { operator, ports } = operators;
  const company = await operators.company();
  const companyId = company.id;
  const investor = await operators.investor();
  const investorId = investor.id;
  const { key, keyId } = await operators.key(investor, { rateLimit: 100_000 });
  const { secret, key: companyKey } = await operator.createCompanyKey({
    companyId,
    scopes: ['consents:manage', 'data:read', 'data:write'],
  });
  const admitted = await callers.companies.admitCompany(secret, 1, { requestId: 'req_1' });
  if ('refusal' in admitted) throw admitted.refusal;
  const fresh = `${ports.ids.next('rec')}@harbor.example`;

  const received = async () => {
    const other = await operators.investor();
    await operator.addToPortfolio({ investorId: other.id, companyId });
    return operators.request((await operators.key(other)).key, companyId, ['metrics:read']);
  };
  const granted = async () => {
    const { id } = await received();
    return (await operator.approveAccessRequest({ id })).accessRequest;
  };
  const paused = async () => {
    const { id } = await granted();
    return (await operator.pauseAccessRequest({ id })).accessRequest;
  };
  const sent = async () =>
    operators.request(key, (await operators.companyOf(investor)).id, ['metrics:read']);
  const contactOf = async (owner: object, name: string) => {
    const email = `${name}.${ports.ids.next('rec')}@harbor.example`;
    return (await operator.addContact({ ...owner, email, role: 'viewer' })).id;
  };
  const endpointOf = async (owner: object) =>
    (await operator.addWebhook({ ...owner, url })).endpoint.id;
  const disabledOf = async (owner: object) => {
    const id = await endpointOf(owner);
    const [now, endpoint] = [ports.clock.now(), await ports.webhookEndpoints.find(id)];
    const change = settingsChange(
      ports.ids,
      now,
      service,
      changeOfWebhook('disabled', endpoint, endpoint),
    );
    await ports.webhookEndpoints.disable(id, 'gone', now, change);
    return id;
  };
  const webhooksOf = (owner: object) => ({
    createWebhookEndpoint: () => ({ url }),
    changeWebhookEndpoint: async () => ({
      ...{ id: await endpointOf(owner), url: `${url}/new`, types: ['source.failed'] },
    }),
    removeWebhookEndpoint: async () => ({ id: await endpointOf(owner) }),
    enableWebhookEndpoint: async () => ({ id: await disabledOf(owner) }),
    rotateWebhookEndpoint: async () => ({ id: await endpointOf(owner) }),
    testWebhookEndpoint: async () => ({ id: await endpointOf(owner) }),
    replayWebhook: async () => ({ id: await endpointOf(owner), eventId: 'evt_unknown' }),
  });
  const peopleOf = (owner: object, role: string) => ({
    addOwnContact: () => ({ email: `${ports.ids.next('rec')}@harbor.example` }),
    changeOwnContactRole: async () => ({ id: await contactOf(owner, 'promoted'), role }),
    removeOwnContact: async () => ({ id: await contactOf(owner, 'removed') }),
  });

  const signIn = async (owner: object, email: string) => {
    await operator.addContact({ ...owner, email, role: 'admin' });
    const { token } = await operator.createSignInLink({ ...owner, email });
    const opened = await callers.contacts.signIn({ token, previousSession: null, device: null });
    return callers.admitSession(opened?.session ?? '');
  };
  const person = await signIn({ companyId }, `cfo.${fresh}`);
  const partner = await signIn({ investorId }, `gp.${fresh}`);
  if (person.kind !== 'contact' || partner.kind !== 'investor_contact') throw new Error('neither');
  const ofCompany = {
    approveRequest: async () => ({ id: (await received()).id }),
    declineRequest: async () => ({ id: (await received()).id }),
    revokeRequest: async () => ({ id: (await granted()).id }),
    narrowRequest: async () => ({ id: (await granted()).id, terms: { metricKeys: ['arr'] } }),
    pauseRequest: async () => ({ id: (await granted()).id }),
    resumeRequest: async () => ({ id: (await paused()).id }),
    setApprovalsRequired: () => ({ required: 2 }),
    extendRequest: async () => ({
      id: (await granted()).id,
      expiresAt: later(400 * day, ports.clock.now()),
    }),
    pushRecords: () => ({ records: parseExactJson(JSON.stringify([metricLine()])) }),
    createOwnKey: () => ({}),
    revokeOwnKey: async () => ({ id: (await operator.createCompanyKey({ companyId })).key.id }),
    rotateOwnKey: async () => ({ id: (await operator.createCompanyKey({ companyId })).key.id }),
    ...peopleOf({ companyId }, 'approver'),
    ...webhooksOf({ companyId }),
  };
  const ofInvestor = {
    requestAccess: async () => ({
      companyId: (await operators.companyOf(investor)).id,
      scopes: ['metrics:read'],
      idempotencyKey: ports.ids.next('rec'),
    }),
    amendAccessRequest: async () => ({
      id: (await sent()).id,
      scopes: ['metrics:read', 'sources:read'],
    }),
    withdrawAccessRequest: async () => ({ id: (await sent()).id }),
    ...webhooksOf({ investorId }),
  };
  const ofPartner = {
    createOwnKey: () => ({ scopes: ['companies:read'] }),
    saveOwnMailSettings: () => ({
      language: 'de',
      timeZone: 'Europe/Berlin',
      choices: choicesOf('viewer', {}),
    }),
    revokeOwnKey: async () => ({ id: (await operators.key(investor)).keyId }),
    rotateOwnKey: async () => ({ id: (await operators.key(investor)).keyId }),
    ...peopleOf({ investorId }, 'member'),
  };
  /** Prepares the data that each change needs, and returns the input of each change by name. */
  async function inputsOf(acts: Readonly<Record<string, () => object>>) {
    const inputs: Record<string, object> = {};
    for (const [name, prepare] of Object.entries(acts)) {
      if (only === null || only === name) inputs[name] = await prepare();
    }
    return inputs;
  }

  const inputs = {
    ofCompany: await inputsOf(ofCompany),
    ofInvestor: await inputsOf(ofInvestor),
    ofPartner: await inputsOf(ofPartner),
  };
  return {
    ...{ company, companyId, companyKey, investor, investorId, keyId },
    changes: {
      program: [callers.companies, admitted.caller, inputs.ofCompany],
      person: [callers.companies, person, inputs.ofCompany],
      key: [
        callers.callers,
        await callers.admit(key),
        { ...inputs.ofInvestor, ...(await inputsOf({ rotateCallingKey: () => ({}) })) },
      ],
      partner: [callers.callers, partner, { ...inputs.ofInvestor, ...inputs.ofPartner }],
    } satisfies Record<Kind, ChangesOf>,
    callers: { program: admitted.caller, person, key: await callers.admit(key), partner },
    /** Returns all stored data that the changes can modify. */
    async look() {
      const owners = [{ companyId }, { investorId }];
      const ofBoth = <T>(read: (owner: (typeof owners)[number]) => Promise<T>) =>
        Promise.all(owners.map(read));
      return structuredClone({
        changes: await ofBoth((owner) => operator.listSettingsChanges({ ...owner, limit: 200 })),
        contacts: await ofBoth((owner) => ports.contacts.list(owner as { companyId: string })),
        webhooks: await ofBoth((owner) =>
          ports.webhookEndpoints.list(owner as { companyId: string }),
        ),
        keys: [await ports.apiKeys.list(investorId), await ports.companyKeys.list(companyId)],
        received: await ports.accessRequests.list({ companyId, now: ports.clock.now(), limit: 99 }),
        sent: await ports.accessRequests.list({ investorId, now: ports.clock.now(), limit: 99 }),
        metrics: await ports.companyData.latestMetrics({
          ...{ companyId, dataVersion: '0', environment: 'live', publicKeyUrl: '', terms: null },
        }),
        tested: (callers.ports.webhooks as { sent?: unknown[] }).sent?.length,
      });
    },
  };
}

export type Prepared = Awaited<ReturnType<typeof prepareChanges>>;
export type Kind = 'program' | 'person' | 'key' | 'partner';
type AnyCaller = CompanyCaller | ContactCaller | InvestorKeyCaller | InvestorContactCaller;
type ChangesOf = readonly [object, AnyCaller, Readonly<Record<string, object>>];

export async function tryChanges(
  { changes }: Prepared,
  kind: Kind,
  as: Partial<AnyCaller> = {},
): Promise<Record<string, string>> {
  const [useCases, caller, inputs] = changes[kind];
  const outcomes: Record<string, string> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const act = (useCases as Record<string, (...given: unknown[]) => unknown>)[name];
    if (act === undefined) expect.fail(`there is no ${name}`);
    outcomes[name] = await Promise.resolve()
      .then(() => act({ ...caller, ...as }, input))
      .then(
        () => 'done',
        (error: { code?: string; message?: string }) => error.code ?? `${error.message}`,
      );
  }
  return outcomes;
}
