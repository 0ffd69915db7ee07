import type { ErrorCode } from '#http';

/** How the gate can refuse the reading of a company's data. */
export const gateRefusals = [
  'insufficient_scope',
  'access_required',
  'access_pending',
  'access_revoked',
  'company_not_found',
] as const satisfies readonly ErrorCode[];
