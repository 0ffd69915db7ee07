import type { Owner } from './owner.ts';
import type { Role } from './roles.ts';

/** A person of a company or of an investor, known by an address: who signs in with it acts for that organisation. */
export interface Contact {
  readonly id: string;
  readonly owner: Owner;
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
}

/** Whether an organisation with these contacts would have no admin without this one. */
export const isLastAdmin = (contact: Contact, all: readonly Contact[]): boolean =>
  contact.role === 'admin' && all.every(({ id, role }) => id === contact.id || role !== 'admin');
