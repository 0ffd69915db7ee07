import type { AddCommand } from '../command.ts';

const examples = `
Examples:
  $ portfolio-access serve
  $ DATABASE_URL=postgres://… REDIS_URL=redis://… WORKERS=2 portfolio-access serve`;

export const commands: AddCommand = (program, context) =>
  program
    .command('serve')
    .description('run the service; SIGTERM or Ctrl-C ends it after the requests in progress')
    .addHelpText('after', examples)
    .action(() => context.serve());
