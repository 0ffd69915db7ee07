import { Option } from 'commander';
import { type Contact, companyRoles, investorRoles, type Role } from '#core';
import { command, group } from '../command.ts';
import { askForConfirmation, confirmation, erasureExplanation, receiptsText } from '../erasure.ts';
import { argument, flag, oneOf, ownerOptionsOf, parameterOf, required } from '../options.ts';
import { showAll, showOne, view } from '../view.ts';

const contacts = view({
  json: ({ id, owner, email, role, createdAt }: Contact) => ({
    id,
    company_id: 'companyId' in owner ? owner.companyId : null,
    investor_id: 'investorId' in owner ? owner.investorId : null,
    email,
    role,
    created_at: createdAt.toISOString(),
  }),
  columns: {
    ID: 'id',
    OF: ({ company_id, investor_id }) => company_id ?? investor_id,
    EMAIL: 'email',
    ROLE: 'role',
    CREATED: 'created_at',
  },
  none: 'No contacts.',
});

const id = argument('<id>', 'id of the contact');

const roles = [...new Set([...companyRoles, ...investorRoles])];

export const commands = group(
  'contact',
  'people of companies and investors who can sign in at the desk',
  command('add', 'add a person, and send an invitation', {
    examples: [
      '--company co_harbor --email board@harbor.example',
      '--company co_harbor --email audit@harbor.example --role viewer --no-invitation',
      '--investor inv_0198c5c1 --email analyst@northwind.example --role member',
    ],
    parameters: {
      ...ownerOptionsOf('a person of'),
      email: required('--email <address>', 'the address for all mails'),
      role: oneOf(
        '--role <role>',
        'the rights; default: admin for the first person, viewer for others',
        roles,
      ),
      invite: flag('--no-invitation', 'send no invitation'),
    },
    run: async ({ operatorUseCases }, contact) =>
      showOne(contacts, await operatorUseCases.addContact(contact)),
  }),
  command('list', 'list contacts, oldest first', {
    examples: ['', '--company co_harbor --json'],
    parameters: ownerOptionsOf('only people of'),
    run: async ({ operatorUseCases }, filter) =>
      showAll(contacts, await operatorUseCases.listContacts(filter)),
  }),
  command('set-role', 'change the rights of a person at once', {
    examples: ['ct_0198c5c1 --role approver'],
    parameters: {
      id,
      role: parameterOf<Role>(
        new Option('--role <role>', 'the new rights').choices(roles).makeOptionMandatory(),
      ),
    },
    run: async ({ operatorUseCases }, args) =>
      showOne(contacts, await operatorUseCases.changeContactRole(args)),
  }),
  command('remove', 'remove a person, with all sessions and mails of the person', {
    examples: ['ct_0198c5c1', 'ct_0198c5c1 --last-admin'],
    parameters: {
      id,
      lastAdmin: flag('--last-admin', 'remove the person even if no other admin is left'),
    },
    async run({ operatorUseCases }, { id, lastAdmin }) {
      await operatorUseCases.removeContact({ id, lastAdmin });
      return { json: { id, removed: true }, text: `Removed ${id}.` };
    },
  }),
  command('erase', 'replace the address of a person with pseudonyms everywhere', {
    examples: ['board@harbor.example', 'board@harbor.example --confirm board@harbor.example'],
    explanation: erasureExplanation,
    parameters: {
      email: argument('<address>', 'the address, at all companies and investors'),
      confirm: confirmation('address'),
    },
    async run({ operatorUseCases }, { email, confirm }, context) {
      const answer = await askForConfirmation(context, confirm, 'the address again');
      const { people, receipts, otherRows } = await operatorUseCases.eraseContact({
        email,
        confirmation: answer,
      });
      return {
        json: { people, receipts, other_rows: otherRows },
        text: `${people} ${people === 1 ? 'contact' : 'contacts'} erased, ${receiptsText(receipts)}, ${otherRows} other ${otherRows === 1 ? 'row' : 'rows'} changed.`,
      };
    },
  }),
);
