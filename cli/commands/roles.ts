import { InvalidArgumentError, Option } from 'commander';
import type { RoleNames } from '#db';
import type { AddCommand } from '../command.ts';
import { CommandError, print, write } from '../output.ts';

const examples = `
Examples:
  $ portfolio-access roles | psql postgres://owner@db.internal/access
  $ DATABASE_URL=postgres://owner@db.internal/access portfolio-access roles --apply
  $ portfolio-access roles --pooler | psql postgres://admin@db.internal/access`;

/** The default role names, which roles.sql also uses. */
export const defaultNames: RoleNames = {
  service: 'portfolio_access_service',
  background: 'portfolio_access_background',
  operator: 'portfolio_access_operator',
};

interface Options extends Omit<RoleNames, 'background'> {
  readonly background?: string;
  readonly apply?: boolean;
  readonly pooler?: boolean;
}

export const commands: AddCommand = (program, context) => {
  const command = program
    .command('roles')
    .description('print the SQL for the roles of least privilege and their rights')
    .option(
      '--service <name>',
      'the role for requests of one company or investor',
      parseName,
      defaultNames.service,
    )
    .option(
      '--background <name>',
      'the role for background work (default: the name of --service, ending in _background)',
      parseName,
    )
    .option('--operator <name>', 'the role for the command line', parseName, defaultNames.operator)
    .addOption(
      new Option('--pooler', 'print the settings of these roles for a pooler instead').conflicts(
        'apply',
      ),
    )
    .option('--apply', 'run the SQL instead of printing it, as the owner of the database')
    .addHelpText('after', examples);
  return command.action(async ({ apply = false, pooler = false, ...args }: Options) => {
    const names = { ...args, background: args.background ?? backgroundOf(args.service) };
    const { service, background, operator } = names;
    if (!apply) {
      const { poolerSql, rolesSql } = await import('#db');
      return write(context.stdout, pooler ? poolerSql(service, background) : rolesSql(names));
    }
    return context.withComposition(async ({ database }) => {
      if (database.isEmbedded) {
        throw new CommandError('the embedded database has no roles; set DATABASE_URL');
      }
      await database.applyRoles(names);
      const text = `${service} and ${background} can run the service, ${operator} can run commands.`;
      await print(context, command, { json: names, text });
    });
  });
};

/** The service derives the name of the background role in the same way. */
const backgroundOf = (service: string) => `${service.replace(/_service$/, '')}_background`;

/** Accepts only names that mean the same with and without quotes in SQL. */
function parseName(text: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(text)) {
    throw new InvalidArgumentError('It must be lowercase letters, digits and underscores.');
  }
  return text;
}
