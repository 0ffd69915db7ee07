import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { Command } from 'commander';
import { addAccessLogCommands } from './commands/access-log.ts';
import { addCompanyCommands } from './commands/company.ts';
import { addEventCommands } from './commands/event.ts';
import { addImportCommand } from './commands/import.ts';
import { addInvestorCommands } from './commands/investor.ts';
import { addKeyCommands } from './commands/key.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addPortfolioCommands } from './commands/portfolio.ts';
import { addRequestCommands } from './commands/request.ts';
import { addSeedCommand } from './commands/seed.ts';
import type { Host } from './host.ts';
import { paintError } from './paint.ts';

const environmentHelp = `
The database is the one of the service: set DATABASE_URL, or DATA_DIR for the embedded one (default .data).
The service may run meanwhile.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage.`;

export function createProgram(host: Host): Command {
  const program = new Command('portfolio-access')
    .description('Operate Portfolio Access: investors, companies, keys, access requests and data.')
    .version(readVersion())
    .enablePositionalOptions()
    .option('--json', 'print one JSON document')
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      outputError: (text, say) => say(paintError(host, text)),
    })
    .addHelpText('after', environmentHelp);
  addMigrateCommand(program, host);
  addSeedCommand(program, host);
  addInvestorCommands(program, host);
  addCompanyCommands(program, host);
  addPortfolioCommands(program, host);
  addKeyCommands(program, host);
  addRequestCommands(program, host);
  addEventCommands(program, host);
  addAccessLogCommands(program, host);
  addImportCommand(program, host);
  return program;
}

function readVersion(): string {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) return 'unknown';
  const { version = 'unknown' } = JSON.parse(readFileSync(path, 'utf8')) as { version?: string };
  return version;
}
