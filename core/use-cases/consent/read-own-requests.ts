import type { Company } from '../../model/company-data/company.ts';
import { readableScopes } from '../../model/consent/access-policy.ts';
import type { AccessRequest } from '../../model/consent/access-request.ts';
import type { GrantableScope } from '../../model/consent/scopes.ts';
import type { Page } from '../../model/cursor.ts';
import type { AccessEvent } from '../../model/events/access-event.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import {
  type AccessRequestInput,
  type ListAccessRequestsInput,
  listAccessRequests,
  readAccessRequest,
} from './list-access-requests.ts';

export interface OwnRequest {
  readonly accessRequest: AccessRequest;
  /** Null if the company has left the portfolio, because the investor must no longer see its name. */
  readonly company: Pick<Company, 'id' | 'name'> | null;
  readonly readableScopes: readonly GrantableScope[];
}

/** Returns a page like `listAccessRequests`, with the names of the companies. */
export const listOwnRequests =
  (ports: Ports) =>
  async (
    caller: InvestorCaller,
    input: ListAccessRequestsInput = {},
  ): Promise<Page<OwnRequest>> => {
    const { items, nextCursor } = await listAccessRequests(ports)(caller, input);
    const named = items.map((accessRequest) => presentOwn(ports, caller, accessRequest));
    return { items: await Promise.all(named), nextCursor };
  };

export interface OwnRequestDetails extends OwnRequest {
  readonly history: readonly AccessEvent[];
  /** The addresses of the investor's contacts, by their IDs in the history. The company's contacts stay hidden. */
  readonly people: ReadonlyMap<string, string>;
}

/** @throws AccessError `access_request_not_found`, also for another investor's request */
export const readOwnRequest =
  (ports: Ports) =>
  async (caller: InvestorCaller, input: AccessRequestInput): Promise<OwnRequestDetails> => {
    const { investorId } = caller;
    const accessRequest = await readAccessRequest(ports)(caller, input);
    const [own, history, contacts] = await Promise.all([
      presentOwn(ports, caller, accessRequest),
      ports.accessEvents.history(accessRequest.id),
      ports.contacts.list({ investorId }),
    ]);
    const people = new Map(contacts.map(({ id, email }) => [id, email] as const));
    return { ...own, history, people };
  };

async function presentOwn(
  { directory, clock }: Ports,
  { investorId }: InvestorCaller,
  accessRequest: AccessRequest,
): Promise<OwnRequest> {
  const entry = await directory.findInPortfolio(investorId, accessRequest.companyId);
  return {
    accessRequest,
    company: entry && { id: entry.company.id, name: entry.company.name },
    readableScopes: readableScopes(accessRequest, entry !== null, clock.now()),
  };
}
