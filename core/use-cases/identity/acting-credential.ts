import type { Scope } from '../../model/consent/scopes.ts';
import { withinToken } from '../../model/identity/access-token.ts';
import type { ActingCredential } from '../../model/identity/acting-credential.ts';
import {
  type CompanyCaller,
  type ContactCaller,
  type InvestorCaller,
  type InvestorContactCaller,
  isInvestorCaller,
  isPerson,
  requireScope,
} from '../../model/identity/caller.ts';
import type { CompanyScope } from '../../model/identity/company-key.ts';
import { ownerOf } from '../../model/identity/owner.ts';
import { requireLive } from '../../model/identity/require-live.ts';
import { type Permission, requirePermission } from '../../model/identity/roles.ts';
import { validityOfSession } from '../../model/sign-in/session.ts';
import type { Ports } from '../../ports/index.ts';

interface Needs {
  readonly permission: Permission;
  readonly scope?: Scope | CompanyScope | undefined;
}

export function actingCredential(
  { clock }: Ports,
  caller: CompanyCaller | ContactCaller | InvestorCaller | InvestorContactCaller,
  { permission, scope }: Needs,
): ActingCredential {
  const { credentialId: id } = caller;
  const owner = ownerOf(caller);
  if (isPerson(caller)) {
    return {
      type: 'session',
      id,
      contactId: caller.contactId,
      owner,
      require(state) {
        const session = state && { role: state.role, ...validityOfSession(state) };
        requireLive(session, clock.now());
        requirePermission({ ...owner, role: session.role }, permission);
      },
    };
  }
  const [type, token] = isInvestorCaller(caller)
    ? (['api_key', caller.token] as const)
    : (['company_key', undefined] as const);
  return {
    type,
    id,
    owner,
    require(state) {
      const key = state && withinToken(state, token);
      requireLive(key, clock.now());
      if (scope !== undefined) requireScope(key, scope);
    },
  };
}
