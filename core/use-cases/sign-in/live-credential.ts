import { withinToken } from '../../model/identity/access-token.ts';
import {
  type CompanyCaller,
  type ContactCaller,
  type InvestorCaller,
  type InvestorContactCaller,
  isInvestorCaller,
  isPerson,
} from '../../model/identity/caller.ts';
import type { KeyValidity } from '../../model/identity/key-state.ts';
import { validityOfSession } from '../../model/sign-in/session.ts';
import type { Ports } from '../../ports/index.ts';

export interface LiveCredential {
  readonly keyId: string;
  readKey(): Promise<KeyValidity | null>;
}

/**
 * Returns an object that can check later whether the caller's key or session still works. For this call, a session
 * stops working when its person chooses another organisation.
 */
export function credentialOf(
  { apiKeys, companyKeys, deskSessions }: Ports,
  caller: CompanyCaller | ContactCaller | InvestorCaller | InvestorContactCaller,
): LiveCredential {
  if (!isPerson(caller)) {
    const [keys, token] = isInvestorCaller(caller) ? [apiKeys, caller.token] : [companyKeys];
    const { credentialId: keyId } = caller;
    const readKey = () => keys.readValidity(keyId);
    if (token === undefined) return { keyId, readKey };
    return {
      // Tokens of one key can differ in their rights, so each is checked separately.
      keyId: `${keyId} ${token.expiresAt.getTime()} ${token.scopes.join()}`,
      async readKey() {
        const key = await readKey();
        return key && withinToken({ ...key, scopes: [] }, token);
      },
    };
  }
  const { credentialId: id, contactId } = caller;
  return {
    keyId: `${id} ${contactId}`,
    async readKey() {
      const session = await deskSessions.findActing({ id, contactId });
      return session && validityOfSession(session);
    },
  };
}
