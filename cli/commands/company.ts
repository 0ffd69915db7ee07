import type { Command } from 'commander';
import type { Environment } from '#core';
import { answering, listOf } from '../answer.ts';
import type { Host } from '../host.ts';
import { addCommand, environmentOption } from '../options.ts';
import { partyColumns } from '../party-columns.ts';
import { presentParty } from '../present.ts';
import { renderTable } from '../table.ts';

export function addCompanyCommands(program: Command, host: Host): void {
  const group = program.command('company').description('companies whose data can be read');

  addCommand(group, {
    name: 'create',
    description: 'add a company',
    examples: [
      'portfolio-access company create --name "Harbor Robotics" --env live',
      'portfolio-access company create --name "Harbor Robotics" --env test --id co_harbor_test',
    ],
  })
    .requiredOption('--name <name>', 'name of the company')
    .addOption(environmentOption())
    .option('--id <id>', 'an id of your choice, of the form co_…')
    .action(
      answering(
        host,
        async (
          { operatorUseCases },
          { name, env: environment, id }: { name: string; env: Environment; id?: string },
        ) => {
          const company = presentParty(
            await operatorUseCases.createCompany({ name, environment, id }),
          );
          return { json: company, text: renderTable(partyColumns, [company], '') };
        },
      ),
    );

  addCommand(group, {
    name: 'list',
    description: 'list all companies, oldest first',
    examples: ['portfolio-access company list'],
  }).action(
    answering(host, async ({ operatorUseCases }) => {
      const companies = (await operatorUseCases.listCompanies()).map(presentParty);
      const whenEmpty = 'No companies yet. Add one: portfolio-access company create --help';
      return { json: listOf(companies), text: renderTable(partyColumns, companies, whenEmpty) };
    }),
  );
}
