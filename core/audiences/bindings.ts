import type { Scope } from '../model/consent/scopes.ts';
import type { Permitted } from '../model/identity/acting-credential.ts';
import {
  type CompanyCaller,
  type InvestorCaller,
  isContact,
  isInvestorContact,
  requireScope,
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

type Act<Caller, Input extends unknown[], Result> = (
  ports: Ports,
) => (caller: Caller, ...input: Input) => Result;

const bindChecked =
  <Caller, Input extends unknown[], Result>(
    act: Act<Caller, Input, Result>,
    check: (caller: Caller) => void,
  ): typeof act =>
  (ports) => {
    const perform = act(ports);
    return (caller, ...input) => {
      check(caller);
      return perform(caller, ...input);
    };
  };

const bindWithCredential =
  <Caller extends CompanyCaller | InvestorCaller, Input extends unknown[], Result>(
    act: Act<Caller & Permitted, Input, Result>,
    requirements: Parameters<typeof actingCredential>[2],
  ): Act<Caller, Input, Result> =>
  (ports) => {
    const perform = act(ports);
    return (caller, ...input) =>
      perform({ ...caller, credential: actingCredential(ports, caller, requirements) }, ...input);
  };

/**
 * Binds a use case to the caller's company. A contact must have the given permission. A company key must have the given
 * scope.
 *
 * @throws AccessError `insufficient_scope` or `insufficient_role`, before the use case starts
 */
export const bindToCompany = <Caller extends CompanyCaller, Input extends unknown[], Result>(
  act: Act<Caller, Input, Result>,
  permission: CompanyPermission,
  scope: CompanyScope = 'consents:manage',
): typeof act =>
  bindChecked(act, (caller) => {
    requireScope(caller, scope);
    if (isContact(caller)) requirePermission(caller, permission);
  });

/**
 * Like `bindToCompany`, but for a use case that changes data. Also passes the caller's credential, so that the use case
 * can check the credential again in its transaction.
 */
export const bindChangeToCompany = <Caller extends CompanyCaller, Input extends unknown[], Result>(
  act: Act<Caller & Permitted, Input, Result>,
  permission: CompanyPermission,
  scope: CompanyScope = 'consents:manage',
): Act<Caller, Input, Result> =>
  bindToCompany(bindWithCredential(act, { permission, scope }), permission, scope);

type Read<Input, Data> = (
  ports: Ports,
) => (caller: CompanyCaller, input: Input) => Promise<Reading<Data>>;

export const bindToOwnData =
  <Input extends { readonly companyId: string }, Data>(
    read: Read<Input, Data>,
  ): Read<Omit<Input, 'companyId'>, Data> =>
  (ports) =>
  (caller, input) =>
    read(ports)(caller, { ...input, companyId: caller.companyId } as unknown as Input);

/**
 * Binds a use case to the caller's investor. A contact must have the given permission. If a scope is given, an API key
 * must have this scope.
 *
 * @throws AccessError `insufficient_scope` or `insufficient_role`, before the use case starts
 */
export const bindToInvestor = <Caller extends InvestorCaller, Input extends unknown[], Result>(
  act: Act<Caller, Input, Result>,
  permission: InvestorPermission,
  scope?: Scope,
): typeof act =>
  bindChecked(act, (caller) => {
    if (isInvestorContact(caller)) requirePermission(caller, permission);
    else if (scope !== undefined) requireScope(caller, scope);
  });

/**
 * Like `bindToInvestor`, but for a use case that changes data. Also passes the caller's credential, so that the use
 * case can check the credential again in its transaction.
 */
export const bindChangeToInvestor = <
  Caller extends InvestorCaller,
  Input extends unknown[],
  Result,
>(
  act: Act<Caller & Permitted, Input, Result>,
  permission: InvestorPermission,
  scope?: Scope,
): Act<Caller, Input, Result> =>
  bindToInvestor(bindWithCredential(act, { permission, scope }), permission, scope);

export const bindToOperator =
  <Input extends unknown[], Result>(act: Act<null, Input, Result>) =>
  (ports: Ports) =>
  (...input: Input): Result =>
    act(ports)(null, ...input);
