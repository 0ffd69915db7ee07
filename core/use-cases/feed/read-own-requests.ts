import type { Company } from '../../model/company-data/company.ts';
import type { AccessRequest } from '../../model/consent/access-request.ts';
import type { Page } from '../../model/cursor.ts';
import type { AccessEvent } from '../../model/events/access-event.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import {
  type AccessRequestInput,
  type ListAccessRequestsInput,
  listAccessRequests,
  readAccessRequest,
} from '../consent/list-access-requests.ts';

/** A request as its investor sees it. */
export interface OwnRequest {
  readonly accessRequest: AccessRequest;
  /** Null once it has left the portfolio: its name is no concern of the investor any more. */
  readonly company: Pick<Company, 'id' | 'name'> | null;
}

/**
 * The same page as `listAccessRequests`, with the names of the companies.
 *
 * @throws InputError
 */
export const listOwnRequests =
  (ports: Ports) =>
  async (
    caller: InvestorCaller,
    input: ListAccessRequestsInput = {},
  ): Promise<Page<OwnRequest>> => {
    const { items, nextCursor } = await listAccessRequests(ports)(caller, input);
    const named = items.map(async (accessRequest) => ({
      accessRequest,
      company: await findCompany(ports, caller, accessRequest),
    }));
    return { items: await Promise.all(named), nextCursor };
  };

export interface OwnRequestDetails extends OwnRequest {
  readonly history: readonly AccessEvent[];
  /** Addresses of the investor's own people, by the ids in the history. Those of the company are not told. */
  readonly people: ReadonlyMap<string, string>;
}

/**
 * One request of the caller's investor, with everything that happened to it, oldest first.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for another's
 */
export const readOwnRequest =
  (ports: Ports) =>
  async (caller: InvestorCaller, input: AccessRequestInput): Promise<OwnRequestDetails> => {
    const { investorId } = caller;
    const accessRequest = await readAccessRequest(ports)(caller, input);
    const [company, history, contacts] = await Promise.all([
      findCompany(ports, caller, accessRequest),
      ports.accessEvents.history(accessRequest.id),
      ports.contacts.list({ investorId }),
    ]);
    const people = new Map(contacts.map(({ id, email }) => [id, email] as const));
    return { accessRequest, company, history, people };
  };

async function findCompany(
  { directory }: Ports,
  { investorId }: InvestorCaller,
  { companyId }: AccessRequest,
): Promise<OwnRequest['company']> {
  const entry = await directory.findInPortfolio(investorId, companyId);
  return entry && { id: entry.company.id, name: entry.company.name };
}
