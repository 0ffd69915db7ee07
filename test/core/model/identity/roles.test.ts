import { describe, expect, test } from 'vitest';
import { AccessError } from '../../../../core/model/errors.ts';
import {
  hasPermission,
  isRoleOf,
  requirePermission,
} from '../../../../core/model/identity/roles.ts';

const [company, investor] = [{ companyId: 'co_1' }, { investorId: 'inv_1' }];

describe('a role', () => {
  test('belongs either to companies or to investors', () => {
    expect(isRoleOf(company, 'approver')).toBe(true);
    expect(isRoleOf(investor, 'approver')).toBe(false);
    expect(isRoleOf(investor, 'member')).toBe(true);
  });

  test('of a company doesn’t allow an investor’s action, and the error then contains no required role', () => {
    const admin = { ...company, role: 'admin' } as const;
    expect(hasPermission(admin, 'ask')).toBe(false);
    const { message } = new AccessError('insufficient_role');
    expect(() => requirePermission(admin, 'ask')).toThrow(
      expect.objectContaining({ code: 'insufficient_role', message }),
    );
  });

  test('is refused if it isn’t sufficient, and the error contains the required role', () => {
    expect(() => requirePermission({ ...investor, role: 'viewer' }, 'ask')).toThrow(
      'This needs the role member. Your role is viewer.',
    );
    requirePermission({ ...investor, role: 'member' }, 'ask');
  });
});
