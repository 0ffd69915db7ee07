import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import { addCommand } from '../options.ts';
import { action } from '../output.ts';

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

function addChange(group: Command, name: 'add' | 'remove', description: string): Command {
  return addCommand(group, name, description, ['--investor inv_0198c5c1 --company co_harbor'])
    .requiredOption('--investor <id>', 'id of the investor')
    .requiredOption('--company <id>', 'id of the company, of the same environment');
}
