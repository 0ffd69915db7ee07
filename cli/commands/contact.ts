import type { Command } from 'commander';
import type { Contact } from '#core';
import type { CliContext } from '../context.ts';
import { contactJson } from '../json.ts';
import { addCommand } from '../options.ts';
import { action, toList } from '../output.ts';
import { type Column, renderTable } from '../table.ts';

const columns: readonly Column<Contact>[] = [
  ['ID', ({ id }) => id],
  ['COMPANY', ({ companyId }) => companyId],
  ['EMAIL', ({ email }) => email],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
];

export function addContactCommands(program: Command, context: CliContext): void {
  const group = program
    .command('contact')
    .description('addresses to which a company has its notices sent');

  addCommand(group, 'add', 'have the notices of a company sent to an address', [
    '--company co_harbor --email board@harbor.example',
  ])
    .requiredOption('--company <id>', 'the company')
    .requiredOption('--email <address>', 'where its notices are sent')
    .action(
      action(context, async ({ operatorUseCases }, options: { company: string; email: string }) => {
        const { company: companyId, email } = options;
        const contact = await operatorUseCases.addContact({ companyId, email });
        return { json: contactJson(contact), text: renderTable(columns, [contact]) };
      }),
    );

  addCommand(group, 'list', 'list contacts, oldest first', ['', '--company co_harbor --json'])
    .option('--company <id>', 'only those of this company')
    .action(
      action(context, async ({ operatorUseCases }, { company }: { company?: string }) => {
        const contacts = await operatorUseCases.listContacts({ companyId: company });
        return {
          json: toList(contacts.map(contactJson)),
          text: renderTable(columns, contacts, 'No contacts.'),
        };
      }),
    );

  addCommand(group, 'remove', 'send no more notices to an address, and forget the mails to it', [
    'ct_0198c5c1',
  ])
    .argument('<id>', 'id of the contact')
    .action(
      action(context, async ({ operatorUseCases }, id: string) => {
        await operatorUseCases.removeContact({ id });
        return { json: { id, removed: true }, text: `Removed ${id}.` };
      }),
    );
}
