import type { Contact } from '#core';
import { command, group } from '../command.ts';
import { argument, flag, optional, required } from '../options.ts';
import { showAll, showOne, view } from '../view.ts';

const contacts = view({
  json: ({ id, companyId, email, createdAt }: Contact) => ({
    id,
    company_id: companyId,
    email,
    created_at: createdAt.toISOString(),
  }),
  columns: { ID: 'id', COMPANY: 'company_id', EMAIL: 'email', CREATED: 'created_at' },
  none: 'No contacts.',
});

export const commands = group(
  'contact',
  'addresses to which a company has its notices sent',
  command('add', 'have the notices of a company sent to an address, and invite it by mail', {
    examples: [
      '--company co_harbor --email board@harbor.example',
      '--company co_harbor --email board@harbor.example --no-invitation',
    ],
    takes: {
      companyId: required('--company <id>', 'the company'),
      email: required('--email <address>', 'where its notices are sent'),
      invite: flag('--no-invitation', 'without the mail that tells it where to sign in'),
    },
    run: async ({ operatorUseCases }, contact) =>
      showOne(contacts, await operatorUseCases.addContact(contact)),
  }),
  command('list', 'list contacts, oldest first', {
    examples: ['', '--company co_harbor --json'],
    takes: { companyId: optional('--company <id>', 'only those of this company') },
    run: async ({ operatorUseCases }, filter) =>
      showAll(contacts, await operatorUseCases.listContacts(filter)),
  }),
  command('remove', 'send no more notices to an address, and forget the mails to it', {
    examples: ['ct_0198c5c1'],
    takes: { id: argument('<id>', 'id of the contact') },
    async run({ operatorUseCases }, { id }) {
      await operatorUseCases.removeContact({ id });
      return { json: { id, removed: true }, text: `Removed ${id}.` };
    },
  }),
);
