import { z } from 'zod';
import { readableScopes } from '../../model/consent/access-policy.ts';
import {
  type AccessRequest,
  type AccessRequestStatus,
  asOf,
} from '../../model/consent/access-request.ts';
import type { GrantableScope } from '../../model/consent/scopes.ts';
import { type Page, readCursor, toPage } from '../../model/cursor.ts';
import type { AccessEvent } from '../../model/events/access-event.ts';
import type { Actor } from '../../model/events/event-type.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { Investor } from '../../model/identity/investor.ts';
import type { OwnerOrOperator } from '../../model/identity/owner.ts';
import { pageInput, parseInput } from '../../model/input.ts';
import { addDays } from '../../model/time.ts';
import type { ListedRequest, ReceivedRequest } from '../../ports/consent.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany, findInvestor } from '../identity/organisations.ts';
import {
  type AccessRequestInput,
  cursorOfRequest,
  readAccessRequest,
  requestFilterInput,
} from './list-access-requests.ts';

export interface ReadableRequest extends ReceivedRequest {
  readonly readableScopes: readonly GrantableScope[];
}

function presentListed(
  { accessRequest: stored, investor, isInPortfolio }: ListedRequest,
  now: Date,
): ReadableRequest {
  const accessRequest = asOf(stored, now);
  return {
    accessRequest,
    investor,
    readableScopes: readableScopes(accessRequest, isInPortfolio, now),
  };
}

export const listReceivedRequestsInput = pageInput.extend({
  status: requestFilterInput.shape.status,
});

/** Returns a page of the requests to the caller's company, newest first, with their current status. */
export const listReceivedRequests =
  ({ accessRequests, clock }: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof listReceivedRequestsInput> = {},
  ): Promise<Page<ReadableRequest>> => {
    const { status, limit, cursor } = parseInput(listReceivedRequestsInput, input);
    const now = clock.now();
    const page = { companyId, status, now, before: readCursor(cursor), limit: limit + 1 };
    const found = (await accessRequests.listReceived(page)).map((each) => presentListed(each, now));
    return toPage(found, limit, ({ accessRequest }) => cursorOfRequest(accessRequest));
  };

/** Returns a page of the pending requests and additions that wait for the caller's company, newest first. */
export const listWaitingRequests =
  ({ accessRequests, clock }: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof pageInput> = {},
  ): Promise<Page<ReadableRequest>> => {
    const { limit, cursor } = parseInput(pageInput, input);
    const now = clock.now();
    const found = await accessRequests.listWaiting({
      companyId,
      now,
      before: readCursor(cursor),
      limit: limit + 1,
    });
    const readable = found.map((each) => presentListed(each, now));
    return toPage(readable, limit, ({ accessRequest }) => cursorOfRequest(accessRequest));
  };

/** Counting stops at this number, so that it stays fast. */
const maxCounted = 100;

/** A count that stops at a limit. `hasMore` is true if there are more items. */
export interface CappedCount {
  readonly count: number;
  readonly hasMore: boolean;
}

export const countReceivedRequests =
  ({ accessRequests, clock }: Ports) =>
  async ({ companyId }: CompanyCaller): Promise<CappedCount> => {
    const now = clock.now();
    const count = await accessRequests.countWaiting({ companyId, now, limit: maxCounted + 1 });
    return { count: Math.min(count, maxCounted), hasMore: count > maxCounted };
  };

const maxEndingGrants = 50;

const listEndingGrantsInput = z.strictObject({
  withinDays: z.int().min(1).max(366).default(30),
});

/** Returns up to fifty grants of the caller's company that expire soon, soonest first. */
export const listEndingGrants =
  ({ accessRequests, clock }: Ports) =>
  async (
    { companyId }: CompanyCaller,
    input: z.input<typeof listEndingGrantsInput> = {},
  ): Promise<readonly ReadableRequest[]> => {
    const { withinDays } = parseInput(listEndingGrantsInput, input);
    const now = clock.now();
    const until = addDays(now, withinDays);
    const found = await accessRequests.listEnding({
      companyId,
      now,
      until,
      limit: maxEndingGrants,
    });
    return found.map((each) => presentListed(each, now));
  };

/** Returns up to fifty grants of the caller's company for which a review is due, the oldest approval first. */
export const listGrantsToReview =
  ({ accessRequests, clock }: Ports) =>
  async ({ companyId }: CompanyCaller): Promise<readonly ReadableRequest[]> => {
    const now = clock.now();
    const found = await accessRequests.listInReview({ companyId, now, limit: maxEndingGrants });
    return found.map((each) => presentListed(each, now));
  };

const maxInvestors = 1_000;

/** Returns up to a thousand investors that have ever requested access to the caller's company, sorted by name. */
export const listRequestingInvestors =
  ({ accessRequests }: Ports) =>
  async ({ companyId }: CompanyCaller): Promise<readonly Pick<Investor, 'id' | 'name'>[]> =>
    accessRequests.listRequestingInvestors(companyId, maxInvestors);

export interface ReceivedRequestDetails extends ReadableRequest {
  readonly history: readonly AccessEvent[];
}

/** @throws AccessError `access_request_not_found`, also for another company's request */
export const readReceivedRequest =
  (ports: Ports) =>
  async (owner: OwnerOrOperator, input: AccessRequestInput): Promise<ReceivedRequestDetails> => {
    const accessRequest = await readAccessRequest(ports)(owner, input);
    const { investorId, companyId } = accessRequest;
    const { id, name } = await findInvestor(ports, investorId);
    const isInPortfolio = await ports.directory.isInPortfolio(investorId, companyId);
    const history = await ports.accessEvents.history(accessRequest.id);
    const listed = { accessRequest, investor: { id, name }, isInPortfolio };
    return { ...presentListed(listed, ports.clock.now()), history };
  };

export interface RequestWithActors extends ReceivedRequestDetails {
  /** The name, address or key hint of each actor in the history, by ID. Null for a removed contact. */
  readonly actors: ReadonlyMap<string, string | null>;
}

/** @throws AccessError `access_request_not_found`, also for another company's request */
export const readReceivedRequestWithActors =
  (ports: Ports) =>
  async (caller: CompanyCaller, input: AccessRequestInput): Promise<RequestWithActors> => {
    const details = await readReceivedRequest(ports)(caller, input);
    const { investor, history } = details;
    const [contacts, keys] = await Promise.all([
      Promise.all(idsOf(history, 'contact').map((id) => ports.contacts.find(id))),
      Promise.all(idsOf(history, 'company_key').map((id) => ports.companyKeys.find(id))),
    ]);
    const actors = new Map<string, string | null>([
      [investor.id, investor.name],
      ...idsOf(history, 'contact').map((id) => [id, null] as const),
      ...contacts.flatMap((one) => (one === null ? [] : [[one.id, one.email] as const])),
      ...keys.flatMap((key) => (key === null ? [] : [[key.id, key.hint] as const])),
    ]);
    return { ...details, actors };
  };

function idsOf(history: readonly AccessEvent[], type: Actor['type']): string[] {
  const ids = history.filter(({ actor }) => actor.type === type).map(({ actor }) => actor.id);
  return [...new Set(ids)].filter((id) => id !== null);
}

export interface CompanyRequestsFilter {
  readonly companyId?: string | undefined;
  readonly status?: AccessRequestStatus | undefined;
}

/** The maximum number of listed requests, because the list must fit into memory. */
const maxCompanyRequests = 10_000;

/**
 * Returns the newest requests to one company or to all, newest first.
 *
 * @throws AccessError `company_not_found`
 */
export const listCompanyAccessRequests =
  (ports: Ports) =>
  async ({ companyId, status }: CompanyRequestsFilter = {}): Promise<AccessRequest[]> => {
    if (companyId !== undefined) await findCompany(ports, companyId);
    const now = ports.clock.now();
    const filter = { companyId, status, now, limit: maxCompanyRequests };
    const requests = await ports.accessRequests.list(filter);
    return requests.map((request) => asOf(request, now));
  };
