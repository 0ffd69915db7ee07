import { ensure } from '../../model/errors.ts';
import { isKeyLive } from '../../model/identity/key-state.ts';
import { type Session, validityOfSession } from '../../model/sign-in/session.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany } from '../identity/organisations.ts';

export type CompanySession = Pick<Session, 'id' | 'email' | 'createdAt' | 'lastSeenAt' | 'device'>;

/**
 * Where the contacts of a company are signed in, for whichever of their companies; those of the oldest contact first.
 *
 * @throws OperatorError `not_found`
 */
export const listCompanySessions =
  (ports: Ports) =>
  async (input: { companyId: string }): Promise<CompanySession[]> => {
    const { id: companyId } = await findCompany(ports, input.companyId);
    const now = ports.clock.now();
    const contacts = await ports.contacts.list(companyId);
    const sessions = await Promise.all(contacts.map(({ email }) => ports.deskSessions.list(email)));
    return sessions.flat().filter((session) => isKeyLive(validityOfSession(session), now));
  };

/** @throws OperatorError `not_found` */
export const endCompanySession =
  ({ deskSessions }: Ports) =>
  async (id: string): Promise<void> => {
    const isEnded = await deskSessions.end({ id, email: null });
    ensure(isEnded, 'not_found', `there is no session ${id}`);
  };
