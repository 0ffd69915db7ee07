import type { Company, Investor } from '#core';
import { type AddCommand, command, group } from '../command.ts';
import { environmentOption, flag, optional, required } from '../options.ts';
import { showAll, showOne, view } from '../view.ts';

/** Investors and companies look alike. */
const organisations = (none: string) =>
  view({
    json: ({ id, name, environment, createdAt }: Investor | Company) => ({
      id,
      name,
      environment,
      created_at: createdAt.toISOString(),
    }),
    columns: { ID: 'id', NAME: 'name', ENVIRONMENT: 'environment', CREATED: 'created_at' },
    none,
  });

const investors = organisations(
  'No investors yet. Add one: portfolio-access investor create --help',
);
const companies = organisations(
  'No companies yet. Add one: portfolio-access company create --help',
);
const north = '--name "North Capital" --env';
const harbor = '--name "Harbor Robotics" --env';

const investorCommands = group(
  'investor',
  'organisations that hold keys',
  command('create', 'add an investor', {
    examples: [`${north} live`, `${north} test --no-sandbox`],
    takes: {
      name: required('--name <name>', 'name of the investor'),
      environment: environmentOption,
      sandbox: flag('--no-sandbox', 'in test: without the companies that decide by themselves'),
    },
    run: async ({ operatorUseCases }, investor) =>
      showOne(investors, await operatorUseCases.createInvestor(investor)),
  }),
  command('list', 'list all investors, oldest first', {
    examples: ['', '--json'],
    run: async ({ operatorUseCases }) => showAll(investors, await operatorUseCases.listInvestors()),
  }),
);

const companyCommands = group(
  'company',
  'companies whose data can be read',
  command('create', 'add a company', {
    examples: [`${harbor} live`, `${harbor} test --id co_harbor_test`],
    takes: {
      name: required('--name <name>', 'name of the company'),
      environment: environmentOption,
      id: optional('--id <id>', 'an id of your choice, of the form co_…'),
    },
    run: async ({ operatorUseCases }, company) =>
      showOne(companies, await operatorUseCases.createCompany(company)),
  }),
  command('list', 'list all companies, oldest first', {
    examples: ['', '--json'],
    run: async ({ operatorUseCases }) => showAll(companies, await operatorUseCases.listCompanies()),
  }),
);

export const commands: AddCommand = (program, context) => {
  investorCommands(program, context);
  return companyCommands(program, context);
};
