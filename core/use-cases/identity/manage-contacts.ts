import { z } from 'zod';
import { isSandboxCompany } from '../../model/company-data/company.ts';
import { AccessError, ensure } from '../../model/errors.ts';
import type { CompanyCaller } from '../../model/identity/caller.ts';
import type { Contact } from '../../model/identity/contact.ts';
import { parseInput } from '../../model/input.ts';
import type { Ports } from '../../ports/index.ts';

const maxContacts = 20;

export const maxEmailLength = 254;

/** Whose contacts. */
type Company = Pick<CompanyCaller, 'companyId'>;

/** In lower case, because mailboxes that differ in nothing else are the same in practice. */
export const emailInput = z.string().trim().toLowerCase().pipe(z.email().max(maxEmailLength));

const newContactInput = z.strictObject({ email: emailInput });

export type NewContactInput = z.input<typeof newContactInput>;

/**
 * @param isInvited whether a mail tells the new contact where to sign in; those of the sandbox get none
 * @throws InputError, and AccessError `contact_exists`, `contact_limit`
 */
export const addContact =
  ({ clock, contacts, ids }: Ports) =>
  async ({ companyId }: Company, input: NewContactInput, isInvited = false): Promise<Contact> => {
    const { email } = parseInput(newContactInput, input);
    const invitationId = isInvited && !isSandboxCompany(companyId) ? ids.next('ml') : undefined;
    const contact: Contact = { id: ids.next('ct'), companyId, email, createdAt: clock.now() };
    await contacts.transact(companyId, async (own) => {
      const existing = await own.list(companyId);
      if (existing.length >= maxContacts) throw new AccessError('contact_limit');
      if (!(await own.add(contact, invitationId))) throw new AccessError('contact_exists');
    });
    return contact;
  };

/** The contacts of a company, or, when null, of all for an operator; oldest first. */
export const listContacts =
  ({ contacts }: Ports) =>
  (whose: Company | null): Promise<Contact[]> =>
    contacts.list(whose === null ? null : whose.companyId);

const contactInput = z.strictObject({ id: z.string() });

/**
 * Removes a contact of a company, or, when null, of any for an operator. A company keeps its last one: without it nobody
 * could sign in for the company any more.
 *
 * @throws InputError, and AccessError `contact_not_found`, also for another company's, `last_contact`
 */
export const removeContact =
  ({ contacts }: Ports) =>
  async (whose: Company | null, input: z.input<typeof contactInput>): Promise<void> => {
    const { id } = parseInput(contactInput, input);
    if (whose === null) {
      ensure(await contacts.remove(id), 'contact_not_found', `there is no contact ${id}`);
      return;
    }
    const { companyId } = whose;
    await contacts.transact(companyId, async (own) => {
      const existing = await own.list(companyId);
      ensure(
        existing.some((contact) => contact.id === id),
        'contact_not_found',
      );
      ensure(existing.length > 1, 'last_contact');
      await own.remove(id);
    });
  };
