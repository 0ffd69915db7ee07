import { isCompanyId } from '../../model/company-data/company.ts';
import { PrefetchedFacts } from '../../model/consent/prefetched-facts.ts';
import { AccessError } from '../../model/errors.ts';
import {
  type AccessToken,
  factsWithinToken,
  isTokenShaped,
  withinToken,
} from '../../model/identity/access-token.ts';
import { isWellFormedKey } from '../../model/identity/api-key.ts';
import type {
  Budget,
  Call,
  CompanyKeyCaller,
  InvestorCaller,
  InvestorKeyCaller,
} from '../../model/identity/caller.ts';
import { budgetOf, isWellFormedCompanyKey } from '../../model/identity/company-key.ts';
import { isKeyLive, type KeyValidity } from '../../model/identity/key-state.ts';
import {
  budgetsOfPeople,
  fullRateLimit,
  type RateLimitState,
  rateLimitState,
  wasExhausted,
} from '../../model/identity/rate-limit.ts';
import { isStorable } from '../../model/text.ts';
import { isExpressible } from '../../model/time.ts';
import type { AuthenticatedKey } from '../../ports/consent.ts';
import type { AccessTokens, RateLimiter } from '../../ports/identity.ts';
import type { Ports } from '../../ports/index.ts';

export type Admission<C = InvestorKeyCaller> =
  | { readonly rateLimit: RateLimitState; readonly caller: C }
  | { readonly rateLimit: RateLimitState; readonly refusal: AccessError };

/**
 * Finds the caller of a credential, and charges points for the call before any other check. Each credential has its own
 * budget, even an unknown or revoked credential. So an invalid credential never uses another caller's budget.
 *
 * @param credential the bearer token: a key, or a token of the authorization server
 * @param companyId the only company whose data the call can read. The company's access facts are read together with the
 *   key
 */
export const admitCaller =
  (ports: Ports) =>
  async (
    credential: string,
    points: number,
    call: Call,
    companyId: string | null = null,
  ): Promise<Admission> => {
    const company = companyId !== null && isCompanyId(companyId) ? companyId : null;
    const { accessTokens } = ports;
    const kind =
      accessTokens !== null && isTokenShaped(credential)
        ? ofToken(ports, accessTokens, credential, company)
        : ofKey(ports, company);
    const admission = await admit(ports, credential, points, kind);
    if ('refusal' in admission) return admission;
    const { rateLimit, found, budget } = admission;
    const { id: keyId, investorId, environment, scopes } = found.key;
    ports.keyUses.apiKeys.record(keyId, ports.clock.now());
    return {
      rateLimit,
      caller: {
        kind: 'investor',
        credentialId: keyId,
        investorId,
        environment,
        scopes,
        token: found.token,
        prefetchedFacts: new PrefetchedFacts(company, found.facts),
        budget,
        ...call,
      },
    };
  };

interface AuthenticatedInvestor extends AuthenticatedKey {
  readonly token?: AccessToken;
}

const ofKey = (
  { accessFacts, clock }: Ports,
  companyId: string | null,
): CredentialKind<AuthenticatedInvestor> => ({
  isWellFormed: isWellFormedKey,
  authenticate: (digest) => accessFacts.authenticate({ digest, companyId, now: clock.now() }),
});

/** A call with a token reads the token's API key again, and costs points of this key. */
const ofToken = (
  { accessFacts, apiKeys, clock }: Ports,
  tokens: AccessTokens,
  credential: string,
  companyId: string | null,
): CredentialKind<AuthenticatedInvestor & { readonly keyDigest: string }> => ({
  isWellFormed: isTokenShaped,
  async authenticate() {
    const token = await tokens.verify(credential, clock.now());
    if (token === null || !isStorable(token.keyId) || !isExpressible(token.expiresAt)) return null;
    const digest = await apiKeys.readDigest(token.keyId);
    if (digest === null) return null;
    const found = await accessFacts.authenticate({ digest, companyId, now: clock.now() });
    if (found === null) return null;
    const key = withinToken(found.key, token);
    return { key, facts: factsWithinToken(found.facts, token), token, keyDigest: digest };
  },
  budgetOf: ({ keyDigest }) => ({ bucket: keyDigest, owner: 'API key' }),
});

export const admitCompany =
  (ports: Ports) =>
  async (
    credential: string,
    points: number,
    { requestId }: Pick<Call, 'requestId'>,
  ): Promise<Admission<CompanyKeyCaller>> => {
    const admission = await admit(ports, credential, points, {
      isWellFormed: isWellFormedCompanyKey,
      async authenticate(digest) {
        const key = await ports.companyKeys.authenticate({ digest, now: ports.clock.now() });
        return key && { key: { ...key, rateLimit: null } };
      },
      budgetOf: ({ key }) => ({ bucket: `company:${budgetOf(key)}`, owner: 'company' }),
    });
    if ('refusal' in admission) return admission;
    const { rateLimit, found, budget } = admission;
    const { id: keyId, companyId, environment, scopes, source } = found.key;
    ports.keyUses.companyKeys.record(keyId, ports.clock.now());
    const actor = { type: 'company_key', id: keyId } as const;
    return {
      rateLimit,
      caller: {
        kind: 'company',
        credentialId: keyId,
        companyId,
        environment,
        scopes,
        source,
        budget,
        actor,
        requestId,
      },
    };
  };

interface Authenticated {
  readonly key: KeyValidity & { readonly rateLimit: number | null };
}

interface Admitted<Found> {
  readonly rateLimit: RateLimitState;
  readonly found: Found;
  readonly budget: Budget;
}

export type SharedBudget = Omit<Budget, 'limit'>;

interface CredentialKind<Found> {
  isWellFormed(credential: string): boolean;
  /** Called only for well-formed credentials. */
  authenticate(digest: string): Promise<Found | null>;
  /** Returns a budget that several credentials share. Null or absent if each credential has its own budget. */
  budgetOf?(found: Found): SharedBudget | null;
}

export async function admit<Found extends Authenticated>(
  { clock, cryptography, rateLimiter }: Ports,
  credential: string,
  points: number,
  { isWellFormed, authenticate, budgetOf: sharedBudgetOf }: CredentialKind<Found>,
): Promise<Admitted<Found> | Extract<Admission, { refusal: AccessError }>> {
  const { policy } = rateLimiter;
  const digest = cryptography.sha256(credential);
  const isKeyShaped = isWellFormed(credential);
  const [authenticated, spentByDigest] = await Promise.all([
    isKeyShaped ? authenticate(digest).catch(toRefusal) : null,
    // Charges a shared budget only after the lookup, because the lookup finds the budget's owner.
    isKeyShaped && sharedBudgetOf ? null : rateLimiter.spend(digest, points),
  ]);
  // The owner's limit is unknown here, so the response contains the default limit.
  if (authenticated instanceof AccessError) {
    const spent = spentByDigest ?? (await rateLimiter.spend(digest, points));
    return { rateLimit: rateLimitState(policy.points, spent), refusal: authenticated };
  }
  const found =
    authenticated !== null && isKeyLive(authenticated.key, clock.now()) ? authenticated : null;
  // A revoked or expired key is refused, even if its budget isn't used up. The steps are the same for an unknown
  // credential. So the response time doesn't reveal whether the key ever existed.
  const own: SharedBudget = {
    bucket: `${isKeyShaped && found === null ? notLivePrefix : ''}${digest}`,
    owner: 'API key',
  };
  const shared = found && sharedBudgetOf?.(found);
  const budget = { ...(shared ?? own), limit: found?.key.rateLimit ?? null };
  const spend: RateLimiter['spend'] = async (bucket, cost) =>
    bucket === digest && spentByDigest ? spentByDigest : rateLimiter.spend(bucket, cost);
  const { rateLimit, refusal } = await spendBudget({ policy, spend }, budget, points, isExceeded);
  if (refusal !== null) return { rateLimit, refusal };
  if (found === null) return { rateLimit, refusal: new AccessError('invalid_api_key') };
  return { rateLimit, found, budget };
}

const notLivePrefix = 'ended:';

const isExceeded: typeof wasExhausted = (limit, { points }) => points > limit;

/**
 * Spends points of a budget. For a person, then also spends points of the budget that all people of the organisation
 * share. Returns the state of the budget that has fewer points left. If the person's own budget is used up, the shared
 * budget isn't charged.
 */
async function spendBudget(
  { policy, spend }: RateLimiter,
  { bucket, limit, owner, people }: Budget,
  points: number,
  isOver: typeof wasExhausted,
): Promise<Charge> {
  async function spendBucket(name: string, size: number, of: string): Promise<Charge> {
    const spent = await spend(name, points);
    const rateLimit = rateLimitState(size, spent);
    if (!isOver(size, spent, points)) return { rateLimit, refusal: null };
    const refusal = new AccessError('rate_limit_exceeded', {
      message: `The rate limit of this ${of} is exceeded.`,
      retryAfterSeconds: rateLimit.resetSeconds,
    });
    return { rateLimit, refusal };
  }
  const own = await spendBucket(bucket, limit ?? policy.points, owner);
  if (people === undefined || own.refusal !== null) return own;
  const all = await spendBucket(people, budgetsOfPeople * policy.points, "organisation's people");
  const isShared = all.refusal !== null || all.rateLimit.remaining < own.rateLimit.remaining;
  return isShared ? all : own;
}

function toRefusal(error: unknown): AccessError {
  if (error instanceof AccessError) return error;
  throw error;
}

interface Charge {
  readonly rateLimit: RateLimitState;
  readonly refusal: AccessError | null;
}

/**
 * Charges an admitted caller for further work. The charge succeeds if at least one point is left, even if the work
 * costs more. The budget is then used up, so the next calls are refused.
 */
export const chargeCaller =
  ({ rateLimiter }: Ports) =>
  async ({ budget }: Pick<InvestorCaller, 'budget'>, points: number): Promise<Charge> =>
    budget === null
      ? { rateLimit: fullRateLimit(rateLimiter.policy), refusal: null }
      : spendBudget(rateLimiter, budget, points, wasExhausted);
