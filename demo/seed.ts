import {
  AccessError,
  type ApiKey,
  companyScopes,
  grantableScopes,
  type Investor,
  isKeyLive,
  type OperatorUseCases,
  type Owner,
  Refusal,
  scopes,
} from '#core';
import { setUpAccess, type UseCases } from './access.ts';
import { demoCompanies } from './companies.ts';
import { demoIds, type FixedIds } from './ids.ts';
import { demoLines } from './records.ts';

export interface DemoState {
  readonly investorId: string;
  readonly companyIds: readonly string[];
  /** The ID of the demo's API key, or of the key that replaced it. Null if that key no longer works. */
  readonly keyId: string | null;
  readonly isSigned: boolean;
  /** Null if the demo already existed, because only the creation of a key returns its secret. */
  readonly secret: string | null;
  /** The secret of a company key of `pendingCompany`. Null if the demo already existed. */
  readonly companySecret: string | null;
  /** The ID of the pending access request to `pendingCompany`. Null if the company has decided. */
  readonly pendingRequestId: string | null;
}

export const pendingCompany = 'co_juniper' satisfies (typeof demoCompanies)[number]['id'];

export const pendingContact = 'dana@juniper.example';
const pendingContacts = [
  { email: pendingContact, role: 'admin' },
  { email: 'finn@juniper.example', role: 'approver' },
  { email: 'kim@juniper.example', role: 'viewer' },
] as const;

export const investorContact = 'noor@sandboxcapital.example';

const silentCompany = 'co_test_never_answers';

const environment = 'test';
const investorName = 'Sandbox Capital';
const otherInvestorName = 'Northlight Ventures';
const purpose = 'Monthly reporting to our partners.';

/**
 * The investor's API key is created last, so it shows that the demo is complete. After an interrupted setup, the next
 * call continues. A complete demo is never changed, so that users' changes stay.
 */
export async function seedDemo(useCases: UseCases): Promise<DemoState> {
  const { operatorUseCases } = useCases;
  const investor = await findOrCreateInvestor(useCases, investorName, demoIds.investor);
  const state = {
    investorId: investor.id,
    companyIds: demoCompanies.map(({ id }) => id),
    companySecret: null,
  };
  const keys = await operatorUseCases.listApiKeys({ investorId: investor.id });
  const own = findOwn(keys);
  if (own) {
    const keyId = findUsable(own, keys)?.id ?? null;
    const pendingRequestId = await findPendingRequest(useCases, investor);
    const isSigned = await hasSigningKey(useCases);
    return { ...state, keyId, isSigned, secret: null, pendingRequestId };
  }

  const now = new Date();
  await addCompanies(useCases, investor);
  await operatorUseCases.importRecords(demoLines(demoCompanies, now), {
    onProblem: ({ line, reason }) => {
      throw new Error(`line ${line} of the demo data ${reason}`);
    },
  });
  await setUpRequests(useCases, investor, now);
  const pendingRequestId = await findPendingRequest(useCases, investor);
  await addContacts(useCases, investor);
  await addWebhookEndpoints(useCases, investor);
  const ofCompany = await operatorUseCases.createCompanyKey({
    companyId: pendingCompany,
    scopes: companyScopes,
  });
  const { key, secret } = await operatorUseCases.createApiKey({ investorId: investor.id, scopes });
  return {
    ...state,
    keyId: key.id,
    isSigned: await hasSigningKey(useCases),
    secret,
    companySecret: ofCompany.secret,
    pendingRequestId,
  };
}

async function hasSigningKey({ operatorUseCases }: UseCases): Promise<boolean> {
  return (await operatorUseCases.listPublicKeys()).length > 0;
}

async function findOrCreateInvestor(
  { operatorUseCases, withIds }: UseCases,
  name: string,
  ids: FixedIds,
): Promise<Investor> {
  const investors = await operatorUseCases.listInvestors();
  const existing = investors.find(
    (investor) => investor.name === name && investor.environment === environment,
  );
  return existing ?? withIds(ids).operatorUseCases.createInvestor({ name, environment });
}

async function setUpRequests(useCases: UseCases, investor: Investor, now: Date): Promise<void> {
  const fields = { scopes: grantableScopes, purpose };
  for (const { id: companyId, access } of demoCompanies) {
    const request = { ...fields, companyId, access, ids: demoIds.requests[companyId] };
    await setUpAccess(useCases, investor, request, now);
  }
  const unanswered = {
    companyId: silentCompany,
    access: 'pending',
    scopes: ['metrics:read'],
    purpose: 'Quarterly reporting to our partners.',
    ids: demoIds.unansweredRequest,
  } as const;
  await setUpAccess(useCases, investor, unanswered, now);
  const other = await findOrCreateInvestor(useCases, otherInvestorName, demoIds.otherInvestor);
  const portfolio = { investorId: other.id, companyId: pendingCompany };
  await useCases.operatorUseCases.addToPortfolio(portfolio);
  const otherRequest = { ...fields, companyId: pendingCompany, access: 'pending' } as const;
  await setUpAccess(useCases, other, { ...otherRequest, ids: demoIds.requestOfOther }, now);
}

/** Adds webhook endpoints. The addresses don't exist, so each endpoint subscribes only to a rare event type. */
async function addWebhookEndpoints(
  { operatorUseCases, withIds }: UseCases,
  investor: Investor,
): Promise<void> {
  const ofCompany = { owner: { companyId: pendingCompany }, domain: 'juniper.example' };
  const ofInvestor = { owner: { investorId: investor.id }, domain: 'sandbox-capital.example' };
  const existing = await operatorUseCases.listWebhooks();
  for (const [name, { owner, domain }, ids] of [
    ['hooks', ofCompany, demoIds.webhookEndpoint],
    ['old-hooks', ofCompany, demoIds.oldWebhookEndpoint],
    ['hooks', ofInvestor, demoIds.investorEndpoint],
    ['old-hooks', ofInvestor, demoIds.oldInvestorEndpoint],
  ] as const) {
    if (existing.some(({ id }) => id === ids.we)) continue;
    await withIds(ids).operatorUseCases.addWebhook({
      ...owner,
      url: `https://${name}.${domain}/portfolio-access`,
      types: ['access_request.expiring'],
    });
  }
}

/**
 * The demo's own API key is the oldest key with all scopes and without its own rate limit. Users created the other
 * keys.
 */
function findOwn(keys: readonly ApiKey[]): ApiKey | undefined {
  return keys.find((key) => key.scopes.length === scopes.length && key.rateLimit === null);
}

/** Returns the latest replacement of a key, or the key itself. Undefined if that key no longer works. */
function findUsable(key: ApiKey, keys: readonly ApiKey[]): ApiKey | undefined {
  const successor = keys.find(({ id }) => id === key.replacedBy);
  if (successor !== undefined) return findUsable(successor, keys);
  return isKeyLive(key, new Date()) ? key : undefined;
}

async function findPendingRequest(
  { operatorUseCases }: UseCases,
  investor: Investor,
): Promise<string | null> {
  const requests = await operatorUseCases.listCompanyAccessRequests({
    companyId: pendingCompany,
    status: 'pending',
  });
  return requests.find(({ investorId }) => investorId === investor.id)?.id ?? null;
}

async function addCompanies({ operatorUseCases }: UseCases, investor: Investor): Promise<void> {
  for (const { id, name } of demoCompanies) {
    await operatorUseCases.createCompany({ id, name, environment }).catch(passConflict);
    await operatorUseCases.addToPortfolio({ investorId: investor.id, companyId: id });
  }
}

async function addContacts({ operatorUseCases }: UseCases, { id }: Investor): Promise<void> {
  for (const contact of [
    ...pendingContacts.map((each) => ({ companyId: pendingCompany, ...each })),
    { investorId: id, email: investorContact, role: 'admin' as const },
  ]) {
    await operatorUseCases.addContact({ ...contact, invite: false }).catch(passConflict);
  }
}

/** An interrupted setup may have already done this step. */
function passConflict(error: unknown): void {
  const code = error instanceof Refusal ? error.code : null;
  if (code !== 'company_id_taken' && code !== 'contact_exists') throw error;
}

/** Sign-in links, or only their tokens. A field is null if the person was removed. */
export interface DemoSignIn {
  readonly company: string | null;
  readonly investor: string | null;
}

/** For the oldest contact of `pendingCompany`, and the oldest contact of the investor. */
export async function signInToDemo(
  operator: Pick<OperatorUseCases, 'createSignInLink'>,
  { investorId }: Pick<DemoState, 'investorId'>,
): Promise<DemoSignIn> {
  return {
    company: await findToken(operator, { companyId: pendingCompany }),
    investor: await findToken(operator, { investorId }),
  };
}

async function findToken(
  { createSignInLink }: Pick<OperatorUseCases, 'createSignInLink'>,
  owner: Owner,
): Promise<string | null> {
  try {
    return (await createSignInLink(owner)).token;
  } catch (error) {
    if (error instanceof AccessError && error.code === 'contact_not_found') return null;
    throw error;
  }
}
