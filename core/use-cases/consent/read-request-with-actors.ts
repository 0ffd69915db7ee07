import type { AccessEvent } from '../../model/events/access-event.ts';
import type { Actor } from '../../model/events/event-type.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import {
  type AccessRequestInput,
  type ReceivedRequestDetails,
  readReceivedRequest,
} from './list-access-requests.ts';

export interface RequestWithActors extends ReceivedRequestDetails {
  /**
   * The actors by the IDs in the history: the investor's name, a contact's address or a key's hint. Null: a removed
   * contact.
   */
  readonly actors: ReadonlyMap<string, string | null>;
}

/**
 * Returns a request to the caller's company, and the actors behind the IDs in its history.
 *
 * @throws InputError, AccessError `access_request_not_found`, also for another company's
 */
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
