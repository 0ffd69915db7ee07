import { type AccessRequest, awaitsDecision } from '../../model/consent/access-request.ts';
import type { InvestorCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import { type AccessRequestInput, readAccessRequest } from '../consent/list-access-requests.ts';
import { watchAccessRequests } from './watch-events.ts';

/**
 * Waits until the company decides on the access request or on an addition to the grant. Also returns if the request
 * ends or the signal aborts.
 *
 * @throws AccessError `access_request_not_found`, `service_unavailable`, and `invalid_api_key` if the key is revoked or
 *   expires meanwhile
 */
export const waitForDecision =
  (ports: Ports) =>
  async (
    caller: InvestorCaller,
    input: AccessRequestInput,
    signal?: AbortSignal,
  ): Promise<AccessRequest> => {
    const read = () => readAccessRequest(ports)(caller, input);
    const found = await read();
    if (!awaitsDecision(found)) return found;
    const { events } = await watchAccessRequests(ports)(caller, {}, signal);
    try {
      // Reads the request again after the stream has opened, because the stream lacks earlier decisions.
      let request = await read();
      while (awaitsDecision(request)) {
        const { done, value } = await events.next();
        if (done) return await read();
        if (value.accessRequest.id === request.id) request = await read();
      }
      return request;
    } finally {
      await events.return?.();
    }
  };
