import { z } from 'zod';
import { isSandboxCompany } from '../../model/company-data/company.ts';
import { AccessError, ensure } from '../../model/errors.ts';
import type { Contact } from '../../model/identity/contact.ts';
import { type Owner, ownerOf, type Whose } from '../../model/identity/owner.ts';
import { type Role, rolesOf } from '../../model/identity/roles.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';

const maxContacts = 20;

export const maxEmailLength = 254;

/** In lower case, because mailboxes that differ in nothing else are the same in practice. */
export const emailInput = z.string().trim().toLowerCase().pipe(z.email().max(maxEmailLength));

const newContactInput = (owner: Owner) =>
  z.strictObject({ email: emailInput, role: z.enum(rolesOf(owner)).nullish() });

export interface NewContactInput {
  readonly email: string;
  /** One of its side; absent: `admin` of the first, else `viewer`. */
  readonly role?: Role | null | undefined;
}

/**
 * @param isInvited whether a mail tells the new contact where to sign in; those of the sandbox get none
 * @throws InputError, and AccessError `contact_exists`, `contact_limit`
 */
export const addContact =
  ({ clock, contacts, ids }: Ports) =>
  async (whose: Owner, input: NewContactInput, isInvited = false): Promise<Contact> => {
    const owner = ownerOf(whose);
    const { email, role } = parseInput(newContactInput(owner), input);
    const isOfSandbox = 'companyId' in owner && isSandboxCompany(owner.companyId);
    const invitationId = isInvited && !isOfSandbox ? ids.next('ml') : undefined;
    const fresh = { id: ids.next('ct'), owner, email, createdAt: clock.now() };
    return contacts.transact(owner, async (own) => {
      const existing = await own.list(owner);
      if (existing.length >= maxContacts) throw new AccessError('contact_limit');
      const contact = { ...fresh, role: role ?? (existing.length === 0 ? 'admin' : 'viewer') };
      if (!(await own.add(contact, invitationId))) throw new AccessError('contact_exists');
      return contact;
    });
  };

/** The contacts of a company or an investor, or, when null, of all for an operator; oldest first. */
export const listContacts =
  ({ contacts }: Ports) =>
  (whose: Whose): Promise<Contact[]> =>
    contacts.list(whose && ownerOf(whose));

const contactInput = z.strictObject({ id: z.string() });

/**
 * Removes a contact of a company or an investor, or, when null, of any for an operator. Both keep their last one: without
 * it nobody could sign in for them any more.
 *
 * @throws InputError, and AccessError `contact_not_found`, also for another's, `last_contact`
 */
export const removeContact =
  ({ contacts }: Ports) =>
  async (whose: Whose, input: z.input<typeof contactInput>): Promise<void> => {
    const { id } = parseInput(contactInput, input);
    if (whose === null) {
      ensure(await contacts.remove(id), 'contact_not_found', `there is no contact ${id}`);
      return;
    }
    const owner = ownerOf(whose);
    await contacts.transact(owner, async (own) => {
      const existing = await own.list(owner);
      ensure(
        existing.some((contact) => contact.id === id),
        'contact_not_found',
      );
      ensure(existing.length > 1, 'last_contact');
      await own.remove(id);
    });
  };
