import { findCompany } from '../company-data/manage-companies.ts';
import type { AccessEvent } from '../events/access-event.ts';
import type { Ports } from '../ports.ts';
import type { AccessRequest, AccessRequestStatus } from './access-request.ts';
import { withStatusNow } from './read-access-requests.ts';

export interface Filter {
  readonly companyId?: string | undefined;
  readonly status?: AccessRequestStatus | undefined;
}

/**
 * What the companies' side sees: the requests to one company or to all, newest first.
 *
 * @throws OperatorError `not_found`
 */
export const listCompanyAccessRequests =
  (ports: Ports) =>
  async ({ companyId, status }: Filter = {}): Promise<AccessRequest[]> => {
    const filter =
      companyId === undefined ? {} : { companyId: (await findCompany(ports, companyId)).id };
    const requests = await ports.accessRequests.list(filter);
    return withStatusNow(requests, ports.clock.now(), status);
  };

/** Every transition so far, oldest first. */
export const listAccessEvents =
  ({ accessRequests }: Ports) =>
  (): Promise<AccessEvent[]> =>
    accessRequests.listEvents();
