import { AccessError } from '../../model/errors.ts';
import type { CompanyCaller, ContactCaller } from '../../model/identity/caller.ts';
import { isKeyLive, type KeyValidity } from '../../model/identity/key-state.ts';
import { validityOfSession } from '../../model/sign-in/session.ts';
import type { Ports } from '../../ports/index.ts';

/** What a caller for a company was admitted by, to be looked at again while a long answer goes on. */
export interface CompanyCredential {
  readonly keyId: string;
  readKey(): Promise<KeyValidity | null>;
}

/** A session works for the company that is chosen in it, and for no other that was chosen before. */
export function credentialOf(
  { companyKeys, deskSessions }: Pick<Ports, 'companyKeys' | 'deskSessions'>,
  caller: CompanyCaller | ContactCaller,
): CompanyCredential {
  if (!('sessionId' in caller)) {
    return {
      keyId: caller.credentialId,
      readKey: () => companyKeys.readValidity(caller.credentialId),
    };
  }
  const { sessionId: id, contactId } = caller;
  return {
    keyId: `${id} ${contactId}`,
    async readKey() {
      const session = await deskSessions.findActing({ id, contactId });
      return session && validityOfSession(session);
    },
  };
}

/** @throws AccessError `invalid_api_key` for what has been revoked, has ended or is gone */
export function requireLive({ clock }: Pick<Ports, 'clock'>, key: KeyValidity | null): void {
  if (key === null || !isKeyLive(key, clock.now())) throw new AccessError('invalid_api_key');
}
