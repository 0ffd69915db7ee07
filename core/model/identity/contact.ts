import type { Owner } from './owner.ts';
import type { Role } from './roles.ts';

export interface Contact {
  readonly id: string;
  readonly owner: Owner;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
}

/** Returns true if the organisation would have no admin without this contact. */
export const isLastAdmin = (contact: Contact, all: readonly Contact[]): boolean =>
  contact.role === 'admin' && all.every(({ id, role }) => id === contact.id || role !== 'admin');
