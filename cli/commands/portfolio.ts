import type { Command } from 'commander';
import type { Membership } from '#core';
import type { CliContext } from '../context.ts';
import { membershipJson } from '../json.ts';
import { addCommand, parseCount } from '../options.ts';
import { action, toList } from '../output.ts';
import { type Column, followedBy, renderTable, shorten } from '../table.ts';

interface Options {
  readonly investor: string;
  readonly company: string;
}

const added = 'put a company into the portfolio of an investor';
const removed =
  'take a company out of the portfolio: for the investor it ceases to exist at once, grant or not';

export function addPortfolioCommands(program: Command, context: CliContext): void {
  const group = program
    .command('portfolio')
    .description('which investor may know of which company');
  addList(group, context);
  addChange(group, 'add', added).action(
    action(context, async ({ operatorUseCases }, { investor, company }: Options) => {
      await operatorUseCases.addToPortfolio({ investorId: investor, companyId: company });
      return {
        json: { investor_id: investor, company_id: company, in_portfolio: true },
        text: `${company} is in the portfolio of ${investor}.`,
      };
    }),
  );
  addChange(group, 'remove', removed).action(
    action(context, async ({ operatorUseCases }, { investor, company }: Options) => {
      await operatorUseCases.removeFromPortfolio({ investorId: investor, companyId: company });
      return {
        json: { investor_id: investor, company_id: company, in_portfolio: false },
        text: `${company} is no longer in the portfolio of ${investor}.`,
      };
    }),
  );
}

interface ListOptions {
  readonly investor?: string;
  readonly company?: string;
  readonly limit: number;
}

const defaultLimit = 1_000;

const columns: readonly Column<Membership>[] = [
  ['INVESTOR', ({ investor }) => investor.id],
  ['COMPANY', ({ company }) => company.id],
  ['COMPANY NAME', ({ company }) => shorten(company.name, 30)],
  ['INVESTOR NAME', ({ investor }) => shorten(investor.name, 30)],
  ['ENVIRONMENT', ({ environment }) => environment],
  ['ADDED', ({ addedAt }) => addedAt.toISOString()],
];

function addList(group: Command, context: CliContext): void {
  addCommand(group, 'list', 'list which investor has which company in its portfolio', [
    '--investor inv_0198c5c1',
    '--company co_harbor --json',
  ])
    .option('--investor <id>', 'only the portfolio of this investor')
    .option('--company <id>', 'only the portfolios that this company is in')
    .option('--limit <count>', 'at most so many', parseCount, defaultLimit)
    .action(
      action(context, async ({ operatorUseCases }, { investor, company, limit }: ListOptions) => {
        const { memberships, hasMore } = await operatorUseCases.listPortfolios({
          investorId: investor,
          companyId: company,
          limit,
        });
        const whenEmpty = 'Nothing yet. Add a company: portfolio-access portfolio add --help';
        const table = renderTable(columns, memberships, whenEmpty);
        return {
          json: toList(memberships.map(membershipJson), hasMore),
          text: hasMore ? followedBy(table, 'There are more: show them with --limit.') : table,
        };
      }),
    );
}

function addChange(group: Command, name: 'add' | 'remove', description: string): Command {
  return addCommand(group, name, description, ['--investor inv_0198c5c1 --company co_harbor'])
    .requiredOption('--investor <id>', 'id of the investor')
    .requiredOption('--company <id>', 'id of the company, of the same environment');
}
