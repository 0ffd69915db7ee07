import type { Command } from 'commander';
import type { Company, Environment, Investor } from '#core';
import type { CliContext } from '../context.ts';
import { organisationJson } from '../json.ts';
import { addCommand, environmentOption } from '../options.ts';
import { action, type CommandResult, toList } from '../output.ts';
import { type Column, renderTable } from '../table.ts';

/** Investors and companies look alike. */
type Organisation = Investor | Company;

interface CreateOptions {
  readonly name: string;
  readonly env: Environment;
  readonly id?: string;
  readonly sandbox?: boolean;
}

const columns: readonly Column<Organisation>[] = [
  ['ID', ({ id }) => id],
  ['NAME', ({ name }) => name],
  ['ENVIRONMENT', ({ environment }) => environment],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
];

export function addInvestorCommands(program: Command, context: CliContext): void {
  const group = program.command('investor').description('organisations that hold keys');
  const north = '--name "North Capital" --env';
  addCreate(group, 'add an investor', [`${north} live`, `${north} test --no-sandbox`])
    .option('--no-sandbox', 'in test: without the companies that decide by themselves')
    .action(
      action(
        context,
        async ({ operatorUseCases }, { name, env: environment, sandbox }: CreateOptions) =>
          showOne(await operatorUseCases.createInvestor({ name, environment, sandbox })),
      ),
    );
  addList(group, 'list all investors, oldest first').action(
    action(context, async ({ operatorUseCases }) =>
      showAll(await operatorUseCases.listInvestors(), 'No investors yet', group),
    ),
  );
}

export function addCompanyCommands(program: Command, context: CliContext): void {
  const group = program.command('company').description('companies whose data can be read');
  const harbor = '--name "Harbor Robotics" --env';
  addCreate(group, 'add a company', [`${harbor} live`, `${harbor} test --id co_harbor_test`])
    .option('--id <id>', 'an id of your choice, of the form co_…')
    .action(
      action(context, async ({ operatorUseCases }, { name, env: environment, id }: CreateOptions) =>
        showOne(await operatorUseCases.createCompany({ name, environment, id })),
      ),
    );
  addList(group, 'list all companies, oldest first').action(
    action(context, async ({ operatorUseCases }) =>
      showAll(await operatorUseCases.listCompanies(), 'No companies yet', group),
    ),
  );
}

function addCreate(group: Command, description: string, examples: readonly string[]): Command {
  return addCommand(group, 'create', description, examples)
    .requiredOption('--name <name>', `name of the ${group.name()}`)
    .addOption(environmentOption());
}

function addList(group: Command, description: string): Command {
  return addCommand(group, 'list', description, ['', '--json']);
}

function showOne(created: Organisation): CommandResult {
  return { json: organisationJson(created), text: renderTable(columns, [created]) };
}

function showAll(all: readonly Organisation[], none: string, group: Command): CommandResult {
  const whenEmpty = `${none}. Add one: portfolio-access ${group.name()} create --help`;
  return { json: toList(all.map(organisationJson)), text: renderTable(columns, all, whenEmpty) };
}
