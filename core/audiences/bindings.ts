import type { Scope } from '../model/consent/scopes.ts';
import type { Permitted } from '../model/identity/acting-credential.ts';
import {
  type CompanyCaller,
  type InvestorCaller,
  type InvestorContactCaller,
  isContact,
  isInvestorContact,
  requireScope,
  type SignedIn,
} from '../model/identity/caller.ts';
import type { CompanyScope } from '../model/identity/company-key.ts';
import {
  type CompanyPermission,
  type InvestorPermission,
  requirePermission,
} from '../model/identity/roles.ts';
import type { Ports } from '../ports/index.ts';
import type { Reading } from '../use-cases/company-data/reading.ts';
import { actingCredential } from '../use-cases/identity/acting-credential.ts';

/** A use case. Its first argument limits what it can read and change. Null stands for an operator. */
type Act<Caller, Input extends unknown[], Result> = (
  ports: Ports,
) => (caller: Caller, ...input: Input) => Result;

/**
 * Binds a use case to the caller's company. A contact needs the permission, an API key needs the scope.
 *
 * @throws AccessError `insufficient_scope`, `insufficient_role`, before the use case starts
 */
export const ofCompany =
  <Caller extends CompanyCaller, Input extends unknown[], Result>(
    act: Act<Caller, Input, Result>,
    permission: CompanyPermission,
    scope: CompanyScope = 'consents:manage',
  ): typeof act =>
  (ports) => {
    const perform = act(ports);
    return (caller, ...input) => {
      requireAllowedAtCompany(caller, permission, scope);
      return perform(caller, ...input);
    };
  };

/** Binds a change like `ofCompany`. The use case also gets the credential and checks it again in its transaction. */
export const changeOfCompany =
  <Caller extends CompanyCaller, Input extends unknown[], Result>(
    act: Act<Caller & Permitted, Input, Result>,
    permission: CompanyPermission,
    scope: CompanyScope = 'consents:manage',
  ): Act<Caller, Input, Result> =>
  (ports) => {
    const perform = act(ports);
    return (caller, ...input) => {
      requireAllowedAtCompany(caller, permission, scope);
      const credential = actingCredential(ports, caller, { permission, scope });
      return perform({ ...caller, credential }, ...input);
    };
  };

function requireAllowedAtCompany(
  caller: CompanyCaller,
  permission: CompanyPermission,
  scope: CompanyScope,
): void {
  requireScope(caller, scope);
  if (isContact(caller)) requirePermission(caller, permission);
}

type Read<Input, Data> = (
  ports: Ports,
) => (caller: CompanyCaller, input: Input) => Promise<Reading<Data>>;

export const ofOwnData =
  <Input extends { readonly companyId: string }, Data>(
    read: Read<Input, Data>,
  ): Read<Omit<Input, 'companyId'>, Data> =>
  (ports) =>
  (caller, input) =>
    read(ports)(caller, { ...input, companyId: caller.companyId } as unknown as Input);

/**
 * Binds a use case to the caller's investor. A contact needs the permission, an API key needs the scope, if one is
 * given.
 *
 * @throws AccessError `insufficient_scope`, `insufficient_role`, before the use case starts
 */
export const ofInvestor =
  <Caller extends InvestorCaller | InvestorContactCaller, Input extends unknown[], Result>(
    act: Act<Caller, Input, Result>,
    permission: InvestorPermission,
    scope?: Scope,
  ): typeof act =>
  (ports) => {
    const perform = act(ports);
    return (caller, ...input) => {
      requireAllowedAtInvestor(caller, permission, scope);
      return perform(caller, ...input);
    };
  };

/** Binds a change like `ofInvestor`. The use case also gets the credential and checks it again in its transaction. */
export const changeOfInvestor =
  <Caller extends InvestorCaller | InvestorContactCaller, Input extends unknown[], Result>(
    act: Act<Caller & Permitted, Input, Result>,
    permission: InvestorPermission,
    scope?: Scope,
  ): Act<Caller, Input, Result> =>
  (ports) => {
    const perform = act(ports);
    return (caller, ...input) => {
      requireAllowedAtInvestor(caller, permission, scope);
      const credential = actingCredential(ports, caller, { permission, scope });
      return perform({ ...caller, credential }, ...input);
    };
  };

function requireAllowedAtInvestor(
  caller: InvestorCaller | InvestorContactCaller,
  permission: InvestorPermission,
  scope: Scope | undefined,
): void {
  if (isInvestorContact(caller)) requirePermission(caller, permission);
  else if (scope !== undefined) requireScope(caller, scope);
}

export const ofSignedIn = <Input extends unknown[], Result>(
  act: Act<SignedIn, Input, Result>,
): typeof act => act;

/** Runs the use case for an operator, who isn't bound to a company or an investor. */
export const asOperator =
  <Input extends unknown[], Result>(act: Act<null, Input, Result>) =>
  (ports: Ports) =>
  (...input: Input): Result =>
    act(ports)(null, ...input);
