import { describe, expect, test } from 'vitest';
import { type Contact, isLastAdmin } from '../../../../core/model/identity/contact.ts';
import { isSameOwner } from '../../../../core/model/identity/owner.ts';
import type { Role } from '../../../../core/model/identity/roles.ts';

const contact = (id: string, role: Role): Contact => ({
  ...{ id, role, owner: { companyId: 'co_1' } },
  ...{ email: `${id}@harbor.example`, createdAt: new Date(0) },
});
const [anna, ben, cem] = [
  contact('anna', 'admin'),
  contact('ben', 'admin'),
  contact('cem', 'viewer'),
];

describe('the last admin', () => {
  test('is an admin if no other contact is an admin', () => {
    expect(isLastAdmin(anna, [anna, cem])).toBe(true);
    expect(isLastAdmin(anna, [anna, ben, cem])).toBe(false);
  });

  test('is never a viewer, even in an organisation without an admin', () => {
    expect(isLastAdmin(cem, [cem])).toBe(false);
  });
});

test('two owners are the same if their ids are equal and both are companies or both are investors', () => {
  const owners = ['one', 'two'].flatMap((id) => [{ companyId: id }, { investorId: id }]);
  for (const one of owners) {
    expect(owners.filter((other) => isSameOwner(one, other))).toEqual([one]);
  }
});
