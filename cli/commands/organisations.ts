import type { Company, ErasedOwner, Investor, OperatorUseCases } from '#core';
import { type AddCommand, command, group } from '../command.ts';
import { askForConfirmation, confirmation, erasureExplanation, receiptsText } from '../erasure.ts';
import { argument, environmentOption, flag, optional, parseCount, required } from '../options.ts';
import { showAll, showOne, view } from '../view.ts';

const organisations = (none: string) =>
  view({
    json: ({ id, name, environment, createdAt, suspendedAt }: Investor | Company) => ({
      id,
      name,
      environment,
      created_at: createdAt.toISOString(),
      suspended_at: suspendedAt?.toISOString() ?? null,
    }),
    columns: {
      ID: 'id',
      NAME: 'name',
      ENVIRONMENT: 'environment',
      CREATED: 'created_at',
      SUSPENDED: 'suspended_at',
    },
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

interface Named {
  readonly id: string;
  readonly name: string;
}

const commonCommands = (
  kind: 'investor' | 'company',
  example: string,
  shown: typeof investors,
  acts: (operator: OperatorUseCases) => {
    rename(args: Named): Promise<Investor | Company>;
    suspend(args: Pick<Named, 'id'>): Promise<Investor | Company>;
    resume(args: Pick<Named, 'id'>): Promise<Investor | Company>;
    erase(args: Named): Promise<ErasedOwner>;
  },
) => {
  const id = argument('<id>', `id of the ${kind}`);
  return [
    command('rename', 'change the name; existing receipts keep the old one', {
      examples: [`${example} --name "North Harbor"`],
      parameters: { id, name: required('--name <name>', `new name of the ${kind}`) },
      run: async ({ operatorUseCases }, args) =>
        showOne(shown, await acts(operatorUseCases).rename(args)),
    }),
    command('suspend', 'refuse all calls of the organisation and all reads of its data, at once', {
      examples: [example],
      parameters: { id },
      run: async ({ operatorUseCases }, args) =>
        showOne(shown, await acts(operatorUseCases).suspend(args)),
    }),
    command('resume', 'end a suspension: grants that have not ended are valid again', {
      examples: [example],
      parameters: { id },
      run: async ({ operatorUseCases }, args) =>
        showOne(shown, await acts(operatorUseCases).resume(args)),
    }),
    command('erase', 'replace the name, people and texts of the organisation with pseudonyms', {
      examples: [example, `${example} --confirm "North Harbor"`],
      explanation: erasureExplanation,
      parameters: { id, confirm: confirmation('name') },
      async run({ operatorUseCases }, { id, confirm }, context) {
        const name = await askForConfirmation(context, confirm, `the name of ${id}`);
        const { people, receipts, ...erased } = await acts(operatorUseCases).erase({ id, name });
        return {
          json: { ...erased, people, receipts },
          text: `${erased.id} is now “${erased.name}”. ${people} ${people === 1 ? 'person' : 'people'} removed, ${receiptsText(receipts)}.`,
        };
      },
    }),
  ] as const;
};

const investorCommands = group(
  'investor',
  'organisations that read data',
  command('create', 'add an investor', {
    examples: [`${north} live`, `${north} test --no-sandbox`],
    parameters: {
      name: required('--name <name>', 'name of the investor'),
      environment: environmentOption,
      sandbox: flag('--no-sandbox', 'in test: without the sandbox companies'),
    },
    run: async ({ operatorUseCases }, investor) =>
      showOne(investors, await operatorUseCases.createInvestor(investor)),
  }),
  command('list', 'list all investors, oldest first', {
    examples: ['', '--json'],
    run: async ({ operatorUseCases }) => showAll(investors, await operatorUseCases.listInvestors()),
  }),
  ...commonCommands('investor', 'inv_0198c5c1', investors, (operator) => ({
    rename: operator.renameInvestor,
    suspend: operator.suspendInvestor,
    resume: operator.resumeInvestor,
    erase: operator.eraseInvestor,
  })),
);

const companyCommands = group(
  'company',
  'companies whose data can be read',
  command('create', 'add a company', {
    examples: [`${harbor} live`, `${harbor} test --id co_harbor_test`],
    parameters: {
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
  command('approvals', 'set how many people must approve an access request', {
    examples: ['co_harbor --required 2'],
    parameters: {
      companyId: argument('<id>', 'id of the company'),
      required: required('--required <number>', '1 or 2 people', parseCount),
    },
    async run({ operatorUseCases }, { companyId, required }) {
      await operatorUseCases.setApprovalsRequired({ companyId, required });
      return {
        json: { company_id: companyId, approvals_required: required },
        text: `${required} ${required === 1 ? 'person' : 'people'} at ${companyId} must approve.`,
      };
    },
  }),
  ...commonCommands('company', 'co_harbor', companies, (operator) => ({
    rename: operator.renameCompany,
    suspend: operator.suspendCompany,
    resume: operator.resumeCompany,
    erase: operator.eraseCompany,
  })),
);

export const commands: AddCommand = (program, context) => {
  investorCommands(program, context);
  return companyCommands(program, context);
};
