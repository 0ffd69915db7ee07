import type { NormalizedAccessRequest, NormalizedCompany } from '../parity/drivers/driver.ts';
import {
  type AccessRequest,
  type Company,
  type Key,
  type Organisation,
  pairOf,
  type State,
} from './state.ts';
import { allowsKey, withinTerms } from './terms.ts';

/**
 * The policy in plain words, as decisions.md states it. It repeats the core's rules on purpose,
 * without the core's code.
 */

export type Verdict = { readonly because: string } & (
  | { readonly expected: unknown }
  | {
      readonly refused: string;
      /** The ID of the caller's open access request, which the refusal contains. */
      readonly under?: string;
    }
);

const refuse = (refused: string, because: string, under?: AccessRequest): Verdict => ({
  refused,
  because,
  ...(under && { under: under.id }),
});
const allow = (expected: unknown, because: string): Verdict => ({ expected, because });

export function works({ now }: State, { owner, isRevoked, endsAt }: Key): boolean {
  return !isRevoked && !owner.isSuspended && (endsAt === null || now < endsAt);
}

/** An investor sees the companies of its portfolio, unless it or the company is suspended. */
export const knows = ({ memberships }: State, investor: Organisation, company: Company): boolean =>
  memberships.has(pairOf(investor, company)) && !investor.isSuspended && !company.isSuspended;

/** A request expires exactly at its deadline, even if no process has recorded this yet. */
export function statusNow(
  { now }: State,
  { status, deadline }: AccessRequest,
): AccessRequest['status'] {
  return (status === 'pending' || status === 'approved') && now >= deadline ? 'expired' : status;
}

export function newestOf(
  { accessRequests }: State,
  investor: Organisation,
  company: Company,
): AccessRequest | undefined {
  return accessRequests.findLast(
    (accessRequest) => accessRequest.investor === investor && accessRequest.company === company,
  );
}

/** The kinds of data that need a grant, with the needed scope. */
const scopeOf = {
  'the latest metrics': 'metrics:read',
  'one metric': 'metrics:read',
  'the history of a metric': 'metrics:read',
  'the sources': 'sources:read',
  'the accounts': 'accounts:read',
} as const;

export type Thing = keyof typeof scopeOf;

export const things = Object.keys(scopeOf) as Thing[];

/** All values that each period of a metric has had. Only GraphQL returns them. */
export const revisions = 'the revisions of a metric';

/** Only GraphQL returns several histories at once. */
export const histories = 'the histories of two metrics';

/** Terms without this metric refuse these reads. */
const ofOneMetric: readonly string[] = ['one metric', 'the history of a metric', revisions];

export const metricKey = 'cash_balance';
export const otherKey = 'headcount';

/** The verdict for a read of a company's data. The order of the checks: key, scope of the key, portfolio, grant. */
export function reading(
  all: State,
  key: Key,
  company: Company | null,
  thing: Thing | typeof revisions | typeof histories,
): Verdict {
  const scope = thing === revisions || thing === histories ? 'metrics:read' : scopeOf[thing];
  if (!works(all, key)) return refuse('invalid_api_key', 'the key has ended');
  if (!key.scopes.includes(scope)) return refuse('insufficient_scope', `the key lacks ${scope}`);
  if (company === null) return refuse('company_not_found', 'there is no such company');
  if (!knows(all, key.owner, company)) {
    return refuse('company_not_found', 'the company is not in the portfolio');
  }
  const newest = newestOf(all, key.owner, company);
  if (newest === undefined) return refuse('access_required', 'nothing was asked');
  switch (statusNow(all, newest)) {
    case 'pending':
      return refuse('access_pending', 'the company has not answered', newest);
    case 'revoked':
      return refuse('access_revoked', 'the company has revoked its grant');
    case 'declined':
      return refuse('access_required', 'the company has declined');
    case 'expired':
      return refuse('access_required', 'the request or its grant has expired');
    case 'approved':
      if (newest.granted.includes(scope)) return readingUnder(newest, thing);
      return newest.pending.includes(scope)
        ? refuse('access_pending', `the company has not decided on ${scope}`, newest)
        : refuse('access_required', `the company has not approved ${scope}`, newest);
  }
}

function readingUnder(
  grant: AccessRequest,
  thing: Thing | typeof revisions | typeof histories,
): Verdict {
  const { company, terms, pausedAt } = grant;
  if (pausedAt !== null) return refuse('access_paused', 'the company has paused the grant', grant);
  if (ofOneMetric.includes(thing) && !allowsKey(terms, metricKey)) {
    return refuse('access_required', 'the terms of the grant leave out the metric', grant);
  }
  const because = terms === null ? undefined : 'the company has granted it under terms';
  return readable(withinTerms(company, terms), thing, because);
}

/** The verdict for a caller that may read the company's data. */
export function readable(
  company: Company,
  thing: Thing | typeof revisions | typeof histories,
  because = 'the company has granted it',
): Verdict {
  const { metrics, sources, accounts } = company;
  const latest = metrics.filter(
    ({ key, period }) => !metrics.some((other) => other.key === key && other.period > period),
  );
  const theMetric = latest.find(({ key }) => key === metricKey);
  switch (thing) {
    case 'the latest metrics':
      return allow(latest, because);
    case 'one metric':
      return theMetric === undefined
        ? refuse('metric_not_found', 'it is granted, but the metric doesn’t exist')
        : allow(theMetric, because);
    case 'the history of a metric':
      return allow(
        metrics.filter(({ key }) => key === metricKey),
        because,
      );
    case histories:
      return allow(
        [metricKey, otherKey].flatMap((key) => metrics.filter((metric) => metric.key === key)),
        because,
      );
    case revisions:
      return theMetric === undefined
        ? refuse('metric_not_found', 'it is granted, but the metric doesn’t exist')
        : allow(normalizeRevisions(company), because);
    case 'the sources':
      return allow(sources, because);
    case 'the accounts':
      return allow(accounts, because);
  }
}

export const newestValues = 2;

export function figures(all: State, key: Key, companies: readonly (Company | null)[]): Verdict {
  const ofNone = reading(all, key, null, 'the latest metrics');
  if ('refused' in ofNone && ofNone.refused !== 'company_not_found') return ofNone;
  const verdicts = companies.map((company) => reading(all, key, company, 'the latest metrics'));
  const ofEach = companies.map((company, index) => {
    const latest = verdicts[index] as Verdict;
    if ('refused' in latest) return latest.refused;
    const values = granted(all, key, company).filter((metric) => metric.key === metricKey);
    return [latest.expected, values.slice(-newestValues)];
  });
  return allow(ofEach, reasonsOf(verdicts));
}

const reasonsOf = (verdicts: readonly Verdict[]): string =>
  [...new Set(verdicts.map(({ because }) => because))].join(', ');

/** The values that the grant allows. */
function granted(all: State, key: Key, company: Company | null) {
  const grant = company && newestOf(all, key.owner, company);
  return grant ? withinTerms(grant.company, grant.terms).metrics : [];
}

export function manyHistories(
  all: State,
  key: Key,
  companies: readonly (Company | null)[],
): Verdict {
  const ofNone = reading(all, key, null, histories);
  if ('refused' in ofNone && ofNone.refused !== 'company_not_found') return ofNone;
  const verdicts = companies.map((company) => reading(all, key, company, histories));
  return allow(
    {
      values: verdicts.flatMap((verdict) => ('expected' in verdict ? verdict.expected : [])),
      refusals: verdicts.flatMap((verdict) => ('refused' in verdict ? verdict.refused : [])),
    },
    reasonsOf(verdicts),
  );
}

function normalizeRevisions(company: Company) {
  const periods = company.metrics
    .filter(({ key }) => key === metricKey)
    .map(({ period }) => period);
  const ofHistory = periods.map((period) =>
    company.revisions
      .filter((one) => one.key === metricKey && one.period === period)
      .map((one, index) => ({ ...one, revision: index + 1 })),
  );
  return { ofLatest: ofHistory.at(-1), ofHistory };
}

/** A key with companies:read can read the portfolio without a grant. */
export function companyList(all: State, key: Key): Verdict {
  if (!works(all, key)) return refuse('invalid_api_key', 'the key has ended');
  if (!key.scopes.includes('companies:read')) {
    return refuse('insufficient_scope', 'the key lacks companies:read');
  }
  const members = all.companies.filter((company) => knows(all, key.owner, company));
  return allow(
    members.toSorted(byName).map((company) => entry(all, key.owner, company)),
    'this is the portfolio',
  );
}

export function oneCompany(all: State, key: Key, company: Company | null): Verdict {
  const list = companyList(all, key);
  if ('refused' in list) return list;
  return company !== null && knows(all, key.owner, company)
    ? allow(entry(all, key.owner, company), 'the company is in the portfolio')
    : refuse('company_not_found', 'the company is not in the portfolio');
}

const byName = (a: Company, b: Company) => (a.name < b.name ? -1 : 1);

function entry(all: State, investor: Organisation, company: Company): NormalizedCompany {
  const newest = newestOf(all, investor, company);
  const status = newest === undefined ? 'none' : statusNow(all, newest);
  const access = status === 'declined' || status === 'expired' ? 'none' : status;
  return {
    id: company.id,
    name: company.name,
    access,
    accessPaused: access === 'approved' && newest?.pausedAt != null,
    grant:
      newest?.expiresAt != null && access === 'approved'
        ? { approvedScopes: newest.granted, expiresAt: newest.expiresAt }
        : null,
    accessRequestId: newest?.id ?? null,
  };
}

/** Every working key lists all requests of its investor, newest first, even if the company left the portfolio. */
export function requestList(all: State, key: Key): Verdict {
  if (!works(all, key)) return refuse('invalid_api_key', 'the key has ended');
  const own = all.accessRequests.filter(({ investor }) => investor === key.owner);
  return allow(
    own.map((accessRequest) => record(all, accessRequest)).toSorted(newestFirst),
    'these are the requests of the investor',
  );
}

export function oneRequest(all: State, key: Key, accessRequest: AccessRequest | null): Verdict {
  if (!works(all, key)) return refuse('invalid_api_key', 'the key has ended');
  return accessRequest !== null && accessRequest.investor === key.owner
    ? allow(record(all, accessRequest), 'it is a request of the investor')
    : refuse('access_request_not_found', 'the request isn’t the investor’s');
}

export function record(all: State, accessRequest: AccessRequest): NormalizedAccessRequest {
  const { id, company, purpose, createdAt, expiresAt, reason, decidedAt } = accessRequest;
  const status = statusNow(all, accessRequest);
  const isGrant = status === 'approved';
  const deadline = new Date(accessRequest.deadline).toISOString();
  const isOpen = isGrant || status === 'pending';
  return {
    id,
    companyId: company.id,
    requestedScopes: accessRequest.scopes as NormalizedAccessRequest['requestedScopes'],
    approvedScopes: accessRequest.granted as NormalizedAccessRequest['approvedScopes'],
    pendingScopes: (isGrant
      ? accessRequest.pending
      : []) as NormalizedAccessRequest['pendingScopes'],
    status,
    purpose,
    pendingPurpose: isGrant ? accessRequest.pendingPurpose : null,
    requestedTerms: accessRequest.requestedTerms,
    approvedTerms: accessRequest.terms,
    pendingTerms: isGrant ? accessRequest.pendingTerms : null,
    pausedAt: isGrant ? accessRequest.pausedAt : null,
    reason,
    decidedAt,
    expiresAt,
    endedAt: isOpen ? null : status === 'expired' ? deadline : decidedAt,
    answerBy: status === 'pending' ? deadline : null,
    createdAt,
  };
}

function newestFirst(a: NormalizedAccessRequest, b: NormalizedAccessRequest): number {
  return `${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? 1 : -1;
}
