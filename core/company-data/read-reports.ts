import { AccessError } from '../errors.ts';
import { type Caller, requireScope } from '../identity/caller.ts';

/**
 * Announced, not there yet: refuses every caller.
 *
 * @throws AccessError `insufficient_scope` or `not_implemented`
 */
export function readReports(caller: Caller): never {
  requireScope(caller, 'reports:read');
  throw new AccessError('not_implemented');
}
