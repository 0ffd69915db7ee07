import type { Command } from 'commander';
import type { CliContext } from '../context.ts';

const examples = `
Examples:
  $ portfolio-access serve
  $ DATABASE_URL=postgres://… REDIS_URL=redis://… WORKERS=2 portfolio-access serve`;

export function addServeCommand(program: Command, context: CliContext): void {
  program
    .command('serve')
    .description('run the service, until SIGTERM or Ctrl-C lets it finish what is under way')
    .addHelpText('after', examples)
    .action(() => context.serve());
}
