import type { AccessEvent } from '../../model/events/access-event.ts';
import type { Actor } from '../../model/events/event-type.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { Ports } from '../../ports/index.ts';
import {
  type AccessRequestInput,
  type ReceivedRequestDetails,
  readReceivedRequest,
} from '../consent/list-access-requests.ts';

export interface RequestWithActors extends ReceivedRequestDetails {
  /** By the ids in the history: an investor's name, the address of a contact of either side, a key's hint; null for a removed contact. */
  readonly actors: ReadonlyMap<string, string | null>;
}

/**
 * One request to the caller's company, and who is behind the ids in its history.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for one to another company
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
