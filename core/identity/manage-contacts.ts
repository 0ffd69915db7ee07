import { z } from 'zod';
import { findCompany } from '../company-data/manage-companies.ts';
import { ensure } from '../errors.ts';
import type { Ports } from '../ports.ts';
import type { Contact } from './contact.ts';

const maxContacts = 20;
/** In lower case, because mailboxes that differ in nothing else are the same in practice. */
const emailSchema = z.email().max(254).toLowerCase();

/** @throws OperatorError `not_found`, `invalid`, or `conflict` when the company has the address already */
export const addContact =
  (ports: Ports) =>
  async (input: { companyId: string; email: string }): Promise<Contact> => {
    const company = await findCompany(ports, input.companyId);
    const { success, data: email } = emailSchema.safeParse(input.email.trim());
    ensure(success && email !== undefined, 'invalid', 'this is no e-mail address');
    const contacts = await ports.contacts.list(company.id);
    ensure(
      contacts.length < maxContacts,
      'invalid',
      `a company has at most ${maxContacts} contacts`,
    );
    const contact: Contact = {
      id: ports.ids.next('ct'),
      companyId: company.id,
      email,
      createdAt: ports.clock.now(),
    };
    const isAdded = await ports.contacts.add(contact);
    ensure(isAdded, 'conflict', `${company.id} has this contact already`);
    return contact;
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
