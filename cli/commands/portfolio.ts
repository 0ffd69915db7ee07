import type { Command } from 'commander';
import { answering } from '../answer.ts';
import type { Host } from '../host.ts';
import { addCommand } from '../options.ts';

interface Options {
  readonly investor: string;
  readonly company: string;
}

export function addPortfolioCommands(program: Command, host: Host): void {
  const group = program
    .command('portfolio')
    .description('which investor may know of which company');

  addPairCommand(group, 'add', 'put a company into the portfolio of an investor').action(
    answering(host, async ({ operatorUseCases }, options: Options) => {
      const pair = pairOf(options);
      const { investor, company } = await operatorUseCases.addToPortfolio(pair);
      return {
        json: { investor_id: investor.id, company_id: company.id, in_portfolio: true },
        text: `${company.id} is in the portfolio of ${investor.id}.`,
      };
    }),
  );

  addPairCommand(
    group,
    'remove',
    'take a company out of the portfolio: for the investor it ceases to exist at once, grant or not',
  ).action(
    answering(host, async ({ operatorUseCases }, options: Options) => {
      const pair = pairOf(options);
      const { investor, company } = await operatorUseCases.removeFromPortfolio(pair);
      return {
        json: { investor_id: investor.id, company_id: company.id, in_portfolio: false },
        text: `${company.id} is no longer in the portfolio of ${investor.id}.`,
      };
    }),
  );
}

function addPairCommand(group: Command, name: 'add' | 'remove', description: string): Command {
  const example = `portfolio-access portfolio ${name} --investor inv_0198c5c1 --company co_harbor`;
  return addCommand(group, { name, description, examples: [example] })
    .requiredOption('--investor <id>', 'id of the investor')
    .requiredOption('--company <id>', 'id of the company, of the same environment');
}

function pairOf({ investor, company }: Options) {
  return { investorId: investor, companyId: company };
}
