import { type AccessRequestInput, readReceivedRequest } from '../consent/list-access-requests.ts';
import type { CompanyCaller } from '../identity/caller.ts';
import type { Ports } from '../ports.ts';
import type { AccessEvent } from './access-event.ts';
import type { Actor } from './event-type.ts';

/**
 * Who is behind the ids in the history of a request to the caller's company: the name of the investor, the address of a
 * contact, the hint of a key; null for a contact who was removed.
 *
 * @throws InputError, and AccessError `access_request_not_found`, also for one to another company
 */
export const describeActors =
  (ports: Ports) =>
  async (
    caller: CompanyCaller,
    input: AccessRequestInput,
  ): Promise<ReadonlyMap<string, string | null>> => {
    const { investor, history } = await readReceivedRequest(ports)(caller, input);
    const [contacts, keys] = await Promise.all([
      ports.contacts.list(caller.companyId),
      Promise.all(idsOf(history, 'company_key').map((id) => ports.companyKeys.find(id))),
    ]);
    return new Map<string, string | null>([
      [investor.id, investor.name],
      ...idsOf(history, 'contact').map((id) => [id, null] as const),
      ...contacts.map(({ id, email }) => [id, email] as const),
      ...keys.flatMap((key) => (key === null ? [] : [[key.id, key.hint] as const])),
    ]);
  };

function idsOf(history: readonly AccessEvent[], type: Actor['type']): string[] {
  const ids = history.filter(({ actor }) => actor.type === type).map(({ actor }) => actor.id);
  return [...new Set(ids)].filter((id) => id !== null);
}
