import { z } from 'zod';
import { ensure } from '../../model/errors.ts';
import type { Contact } from '../../model/identity/contact.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany } from './organisations.ts';

const maxContacts = 20;

export const maxEmailLength = 254;

/** In lower case, because mailboxes that differ in nothing else are the same in practice. */
export const emailInput = z.string().trim().toLowerCase().pipe(z.email().max(maxEmailLength));

/** @returns the contact, or why there is none */
export function addContactTo(
  { clock, contacts, ids }: Ports,
  companyId: string,
  email: z.output<typeof emailInput>,
): Promise<Contact | 'contact_exists' | 'contact_limit'> {
  const contact: Contact = { id: ids.next('ct'), companyId, email, createdAt: clock.now() };
  return contacts.transact(companyId, async (own) => {
    const existing = await own.list(companyId);
    if (existing.length >= maxContacts) return 'contact_limit';
    return (await own.add(contact)) ? contact : 'contact_exists';
  });
}

/** @throws OperatorError `not_found`, `invalid`, or `conflict` when the company has the address already */
export const addContact =
  (ports: Ports) =>
  async (input: { companyId: string; email: string }): Promise<Contact> => {
    const company = await findCompany(ports, input.companyId);
    const email = emailInput.safeParse(input.email);
    ensure(email.success, 'invalid', 'this is no e-mail address');
    const added = await addContactTo(ports, company.id, email.data);
    ensure(added !== 'contact_limit', 'invalid', `a company has at most ${maxContacts} contacts`);
    ensure(added !== 'contact_exists', 'conflict', `${company.id} has this contact already`);
    return added;
  };

/** The contacts of one company or of all, oldest first. */
export const listContacts =
  (ports: Ports) =>
  async ({ companyId }: { companyId?: string | undefined } = {}): Promise<Contact[]> => {
    if (companyId !== undefined) await findCompany(ports, companyId);
    return ports.contacts.list(companyId ?? null);
  };

/** @throws OperatorError `not_found` */
export const removeContact =
  ({ contacts }: Ports) =>
  async (id: string): Promise<void> => {
    ensure(await contacts.remove(id), 'not_found', `there is no contact ${id}`);
  };
