import { Option } from 'commander';
import { type Contact, companyRoles, investorRoles, type Role } from '#core';
import { command, group } from '../command.ts';
import { askForConfirmation, confirmation, erasureExplanation, receiptsText } from '../erasure.ts';
import { argument, flag, ofCompanyOrInvestor, oneOf, parameterOf, required } from '../options.ts';
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
  'the people of companies and investors, who sign in at the desk',
  command('add', 'add a person by its address, and invite it by mail', {
    examples: [
      '--company co_harbor --email board@harbor.example',
      '--company co_harbor --email audit@harbor.example --role viewer --no-invitation',
      '--investor inv_0198c5c1 --email analyst@northwind.example --role member',
    ],
    parameters: {
      ...ofCompanyOrInvestor('a person of'),
      email: required('--email <address>', 'where it gets its mails, notices among them'),
      role: oneOf('--role <role>', 'what it may do; admin for the first, else viewer', roles),
      invite: flag('--no-invitation', 'without the mail that tells it where to sign in'),
    },
    run: async ({ operatorUseCases }, contact) =>
      showOne(contacts, await operatorUseCases.addContact(contact)),
  }),
  command('list', 'list contacts, oldest first', {
    examples: ['', '--company co_harbor --json'],
    parameters: ofCompanyOrInvestor('only those of'),
    run: async ({ operatorUseCases }, filter) =>
      showAll(contacts, await operatorUseCases.listContacts(filter)),
  }),
  command('set-role', 'let a person do more or less, from its next call on', {
    examples: ['ct_0198c5c1 --role approver'],
    parameters: {
      id,
      role: parameterOf<Role>(
        new Option('--role <role>', 'what it may do').choices(roles).makeOptionMandatory(),
      ),
    },
    run: async ({ operatorUseCases }, args) =>
      showOne(contacts, await operatorUseCases.changeContactRole(args)),
  }),
  command('remove', 'sign a person out, send no more notices to it, and forget the mails to it', {
    examples: ['ct_0198c5c1', 'ct_0198c5c1 --last-admin'],
    parameters: { id, lastAdmin: flag('--last-admin', 'even the last one who can add others') },
    async run({ operatorUseCases }, { id, lastAdmin }) {
      await operatorUseCases.removeContact({ id, lastAdmin });
      return { json: { id, removed: true }, text: `Removed ${id}.` };
    },
  }),
  command('erase', 'replace the address of a person by pseudonyms everywhere, for good', {
    examples: ['board@harbor.example', 'board@harbor.example --confirm board@harbor.example'],
    explanation: erasureExplanation,
    parameters: {
      email: argument('<address>', 'the address, at whichever companies and investors'),
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
