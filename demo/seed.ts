import {
  type AccessRequest,
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

/** Through which the demo is written. */
interface UseCases {
  readonly callerUseCases: CallerUseCases;
  readonly operatorUseCases: OperatorUseCases;
}

/** How the demo stands after a start. */
export interface DemoState {
  readonly investorId: string;
  readonly companyIds: readonly string[];
  /** The demo's own key, or what it was rotated to; null when that has ended. */
  readonly keyId: string | null;
  /** Known to the one call that completed the demo; null when it was there before. */
  readonly secret: string | null;
}

const environment = 'test';
const investorName = 'Sandbox Capital';
const grantYears = 5;

/**
 * Sets up the demo unless it is there. The key is minted last and thereby marks the demo as complete: until then each
 * step takes up where a seed that died has left off; from then on nothing is touched, so that what people do to the
 * demo stays.
 */
export async function seedDemo(useCases: UseCases): Promise<DemoState> {
  const { operatorUseCases } = useCases;
  const investor = await findOrCreateInvestor(useCases);
  const state = { investorId: investor.id, companyIds: demoCompanies.map(({ id }) => id) };
  const keys = await operatorUseCases.listApiKeys({ investorId: investor.id });
  const own = findOwn(keys);
  if (own !== undefined)
    return { ...state, keyId: findUsable(own, keys)?.id ?? null, secret: null };

  const now = new Date();
  await addCompanies(useCases, investor);
  await importData(useCases, now);
  for (const company of demoCompanies) await bringAccess(useCases, investor, company, now);
  const { key, secret } = await operatorUseCases.createApiKey({ investorId: investor.id, scopes });
  return { ...state, keyId: key.id, secret };
}

async function findOrCreateInvestor({ operatorUseCases }: UseCases): Promise<Investor> {
  const investors = await operatorUseCases.listInvestors();
  return (
    investors.find(
      (investor) => investor.name === investorName && investor.environment === environment,
    ) ?? operatorUseCases.createInvestor({ name: investorName, environment })
  );
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

async function addCompanies({ operatorUseCases }: UseCases, investor: Investor): Promise<void> {
  for (const { id, name } of demoCompanies) {
    try {
      await operatorUseCases.createCompany({ id, name, environment });
    } catch (error) {
      const isThere = error instanceof OperatorError && error.reason === 'conflict';
      if (!isThere) throw error;
    }
    await operatorUseCases.addToPortfolio({ investorId: investor.id, companyId: id });
  }
}

async function importData({ operatorUseCases }: UseCases, now: Date): Promise<void> {
  await operatorUseCases.importRecords(demoLines(demoCompanies, now), {
    onProblem: ({ line, reason }) => {
      throw new Error(`line ${line} of the demo data ${reason}`);
    },
  });
}

/** Walks the request for a company to where the demo wants it, from wherever it stands. */
async function bringAccess(
  { callerUseCases, operatorUseCases }: UseCases,
  investor: Investor,
  { id: companyId, access }: DemoCompany,
  now: Date,
): Promise<void> {
  if (access === 'none') return;
  const requests = await operatorUseCases.listCompanyAccessRequests({ companyId });
  let request = requests.find(({ investorId }) => investorId === investor.id);
  if (request === undefined || isOver(request)) {
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

function isOver({ status }: AccessRequest): boolean {
  return status === 'declined' || status === 'expired';
}

const seeding = {
  requestId: 'req_demo',
  protocol: 'rest',
  access: emptyAccessContext,
  budget: null,
} as const;

/** The investor itself asks; which key it would have used does not matter, for none is minted yet. */
function callerOf({ id: investorId }: Investor): Caller {
  return { keyId: 'key_demo', investorId, environment, scopes, ...seeding };
}
