import type { Membership } from '#core';
import { command, group } from '../command.ts';
import { optional, parseCount, required, withDefault } from '../options.ts';
import { shorten } from '../table.ts';
import { showAll, view } from '../view.ts';

const memberships = view({
  json: ({ investor, company, environment, addedAt }: Membership) => ({
    investor_id: investor.id,
    investor_name: investor.name,
    company_id: company.id,
    company_name: company.name,
    environment,
    added_at: addedAt.toISOString(),
  }),
  columns: {
    INVESTOR: 'investor_id',
    COMPANY: 'company_id',
    'COMPANY NAME': ({ company_name }) => shorten(company_name, 30),
    'INVESTOR NAME': ({ investor_name }) => shorten(investor_name, 30),
    ENVIRONMENT: 'environment',
    ADDED: 'added_at',
  },
  none: 'No companies yet. Add one: portfolio-access portfolio add --help',
});

const defaultLimit = 1_000;

const examples = ['--investor inv_0198c5c1 --company co_harbor'];
const parameters = {
  investorId: required('--investor <id>', 'id of the investor'),
  companyId: required('--company <id>', 'id of the company, of the same environment'),
};

interface Pair {
  readonly investorId: string;
  readonly companyId: string;
}

const showChange = ({ investorId, companyId }: Pair, isIn: boolean) => ({
  json: { investor_id: investorId, company_id: companyId, in_portfolio: isIn },
  text: `${companyId} is ${isIn ? '' : 'no longer '}in the portfolio of ${investorId}.`,
});

export const commands = group(
  'portfolio',
  'companies in the portfolios of investors',
  command('list', 'list the companies of each portfolio', {
    examples: ['--investor inv_0198c5c1', '--company co_harbor --json'],
    parameters: {
      investorId: optional('--investor <id>', 'only the portfolio of this investor'),
      companyId: optional('--company <id>', 'only portfolios with this company'),
      limit: withDefault(
        '--limit <count>',
        'the maximum number of companies',
        parseCount,
        defaultLimit,
      ),
    },
    async run({ operatorUseCases }, filter) {
      const found = await operatorUseCases.listPortfolios(filter);
      const more = 'There are more: show them with --limit.';
      return showAll(memberships, found.memberships, { hasMore: found.hasMore, more });
    },
  }),
  command('add', 'add a company to the portfolio of an investor', {
    examples,
    parameters,
    async run({ operatorUseCases }, pair) {
      await operatorUseCases.addToPortfolio(pair);
      return showChange(pair, true);
    },
  }),
  command(
    'remove',
    'remove a company from the portfolio: the investor can no longer see it, even with a grant',
    {
      examples,
      parameters,
      async run({ operatorUseCases }, pair) {
        await operatorUseCases.removeFromPortfolio(pair);
        return showChange(pair, false);
      },
    },
  ),
);
