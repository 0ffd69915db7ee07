import {
  type ApiKey,
  type Caller,
  type CallerUseCases,
  emptyAccessContext,
  grantableScopes,
  type Investor,
  isKeyLive,
  OperatorError,
  type OperatorUseCases,
  scopes,
} from '#core';
import { type DemoCompany, demoCompanies } from './companies.ts';
import { demoLines } from './records.ts';

interface UseCases {
  readonly callerUseCases: CallerUseCases;
  readonly operatorUseCases: OperatorUseCases;
}

/** What a start knows of the demo. */
export interface DemoState {
  readonly investorId: string;
  readonly companyIds: readonly string[];
  /** The demo's own key, or what it was rotated to; null when that has ended. */
  readonly keyId: string | null;
  /** Whether there is a key that signed its data. */
  readonly isSigned: boolean;
  /** Null when the demo was there before: a secret is known only when its key is minted. */
  readonly secret: string | null;
  /** Likewise that of the company which has not answered yet. */
  readonly companySecret: string | null;
  /** What that company is asked; null when nobody asks it. */
  readonly pendingRequestId: string | null;
}

export const askedCompany = 'co_juniper' satisfies (typeof demoCompanies)[number]['id'];

/** Who answers for it. */
export const askedContact = 'dana@juniper.example';

const environment = 'test';
const investorName = 'Sandbox Capital';
const grantYears = 5;

/**
 * Sets up the demo unless it is there. The key of the investor is minted last, which marks the demo as complete: until then each step
 * goes on where an interrupted seed stopped; from then on nothing is touched, so that what people do to the demo stays.
 */
export async function seedDemo(useCases: UseCases): Promise<DemoState> {
  const { operatorUseCases } = useCases;
  const investor = await findOrCreateInvestor(useCases);
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
  for (const company of demoCompanies) await setUpAccess(useCases, investor, company, now);
  const pendingRequestId = await findPendingRequest(useCases, investor);
  await addContact(useCases);
  const ofCompany = await operatorUseCases.createCompanyKey({ companyId: askedCompany });
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

async function findOrCreateInvestor({ operatorUseCases }: UseCases): Promise<Investor> {
  const investors = await operatorUseCases.listInvestors();
  const existing = investors.find(
    (investor) => investor.name === investorName && investor.environment === environment,
  );
  return existing ?? operatorUseCases.createInvestor({ name: investorName, environment });
}

/** Other keys of the investor belong to whoever made them. The demo's own is the oldest that may do everything. */
function findOwn(keys: readonly ApiKey[]): ApiKey | undefined {
  return keys.find((key) => key.scopes.length === scopes.length && key.rateLimit === null);
}

/** The key, or what it was rotated to, if that still works. */
function findUsable(key: ApiKey, keys: readonly ApiKey[]): ApiKey | undefined {
  const successor = keys.find(({ id }) => id === key.replacedBy);
  if (successor !== undefined) return findUsable(successor, keys);
  return isKeyLive(key, new Date()) ? key : undefined;
}

/** What the investor asks the company that has not answered. */
async function findPendingRequest(
  { operatorUseCases }: UseCases,
  investor: Investor,
): Promise<string | null> {
  const requests = await operatorUseCases.listCompanyAccessRequests({
    companyId: askedCompany,
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

async function addContact({ operatorUseCases }: UseCases): Promise<void> {
  const contact = { companyId: askedCompany, email: askedContact };
  await operatorUseCases.addContact(contact).catch(passConflict);
}

/** An interrupted seed has done it before. */
function passConflict(error: unknown): void {
  if (!(error instanceof OperatorError && error.reason === 'conflict')) throw error;
}

/** Brings the access request to the status that the demo shows, from whichever it has. */
async function setUpAccess(
  { callerUseCases, operatorUseCases }: UseCases,
  investor: Investor,
  { id: companyId, access }: DemoCompany,
  now: Date,
): Promise<void> {
  if (access === 'none') return;
  const requests = await operatorUseCases.listCompanyAccessRequests({ companyId });
  let request = requests.find(({ investorId }) => investorId === investor.id);
  if (request === undefined || ['declined', 'expired'].includes(request.status)) {
    const asked = await callerUseCases.requestAccess(callerOf(investor), {
      companyId,
      scopes: [...grantableScopes],
      purpose: 'Monthly reporting to our partners.',
    });
    request = asked.accessRequest;
  }
  if (access === 'pending') return;
  if (request.status === 'pending') {
    const expiresAt = new Date(now);
    expiresAt.setUTCFullYear(now.getUTCFullYear() + grantYears);
    request = await operatorUseCases.approveAccessRequest(request.id, { expiresAt });
  }
  if (access === 'revoked' && request.status === 'approved') {
    await operatorUseCases.revokeAccessRequest(request.id, 'Our reporting moved elsewhere.');
  }
}

/** The investor itself asks: before its first key there is none to name. */
function callerOf({ id: investorId }: Investor): Caller {
  const access = emptyAccessContext;
  const call = { requestId: 'req_demo', protocol: 'rest' } as const;
  return { keyId: 'key_demo', investorId, environment, scopes, access, budget: null, ...call };
}
