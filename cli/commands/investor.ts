import type { Command } from 'commander';
import type { Environment } from '#core';
import { answering, listOf } from '../answer.ts';
import type { Host } from '../host.ts';
import { addCommand, environmentOption } from '../options.ts';
import { partyColumns } from '../party-columns.ts';
import { presentParty } from '../present.ts';
import { renderTable } from '../table.ts';

export function addInvestorCommands(program: Command, host: Host): void {
  const group = program.command('investor').description('organisations that hold keys');

  addCommand(group, {
    name: 'create',
    description: 'add an investor',
    examples: ['portfolio-access investor create --name "North Capital" --env live'],
  })
    .requiredOption('--name <name>', 'name of the organisation')
    .addOption(environmentOption())
    .action(
      answering(host, async ({ operatorUseCases }, options: { name: string; env: Environment }) => {
        const { name, env: environment } = options;
        const investor = presentParty(await operatorUseCases.createInvestor({ name, environment }));
        return { json: investor, text: renderTable(partyColumns, [investor], '') };
      }),
    );

  addCommand(group, {
    name: 'list',
    description: 'list all investors, oldest first',
    examples: ['portfolio-access investor list', 'portfolio-access investor list --json'],
  }).action(
    answering(host, async ({ operatorUseCases }) => {
      const investors = (await operatorUseCases.listInvestors()).map(presentParty);
      const whenEmpty = 'No investors yet. Add one: portfolio-access investor create --help';
      return { json: listOf(investors), text: renderTable(partyColumns, investors, whenEmpty) };
    }),
  );
}
