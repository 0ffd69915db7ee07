import { decide } from './access-policy.ts';
import { type Caller, insufficientScope } from './caller.ts';
import { isCompanyId } from './company.ts';
import { AccessError } from './errors.ts';
import type { Ports } from './ports/index.ts';
import type { GrantableScope } from './scopes.ts';

/**
 * Lets a caller through to a company's data, or throws the refusal. Every read of company data passes here; the
 * question is asked afresh each time, and nothing stands between the answer and what is committed now.
 *
 * @throws AccessError `insufficient_scope`, `company_not_found`, `access_required`, `access_pending`, `access_revoked`,
 *   or `invalid_api_key` when the key ended since the caller was admitted
 */
export async function passGate(
  { clock, standings }: Pick<Ports, 'clock' | 'standings'>,
  caller: Caller,
  companyId: string,
  scope: GrantableScope,
): Promise<void> {
  const standing = isCompanyId(companyId)
    ? await standings.read({ keyId: caller.keyId, companyId })
    : {
        key: { scopes: caller.scopes, expiresAt: null, revokedAt: null },
        inPortfolio: false,
        newestRequest: null,
      };
  const decision = decide(standing, scope, clock.now());
  if (decision.allowed) return;
  throw decision.code === 'insufficient_scope'
    ? insufficientScope(scope)
    : new AccessError(decision.code);
}
