import type { AddCommand } from '../command.ts';

const examples = `
Examples:
  $ portfolio-access serve
  $ DATABASE_URL=postgres://… REDIS_URL=redis://… WORKERS=2 portfolio-access serve`;

export const commands: AddCommand = (program, context) =>
  program
    .command('serve')
    .description('run the service, until SIGTERM or Ctrl-C lets it finish what is under way')
    .addHelpText('after', examples)
    .action(() => context.serve());
