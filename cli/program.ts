import addCompletion from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { readVersion } from '../gateway/version.ts';
import { addAccessLogCommands } from './commands/access-log.ts';
import { addCompanyKeyCommands } from './commands/company-key.ts';
import { addContactCommands } from './commands/contact.ts';
import { addDeskCommands } from './commands/desk.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEventCommands } from './commands/event.ts';
import { addExportCommand } from './commands/export.ts';
import { addImportCommand } from './commands/import.ts';
import { addKeyCommands } from './commands/key.ts';
import { addMailCommands } from './commands/mail.ts';
import { addMetricCommands } from './commands/metric.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addCompanyCommands, addInvestorCommands } from './commands/organisations.ts';
import { addPortfolioCommands } from './commands/portfolio.ts';
import { addRequestCommands } from './commands/request.ts';
import { addRolesCommand } from './commands/roles.ts';
import { addSeedCommand } from './commands/seed.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSignCommand } from './commands/sign.ts';
import { addSignerCommands } from './commands/signer.ts';
import { addSigningKeyCommands } from './commands/signing-key.ts';
import { addVerifyCommand } from './commands/verify.ts';
import { addWebhookCommands } from './commands/webhook.ts';
import type { CliContext } from './context.ts';
import { colorError } from './output.ts';

const environmentHelp = `
The database is the one of the service: set DATABASE_URL, or DATA_DIR for the embedded one (default .data).
The service may run at the same time. docs/configuration.md lists every variable.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage.`;

/** In the order in which --help lists them. */
const addCommands = [
  addServeCommand,
  addDoctorCommand,
  addMigrateCommand,
  addRolesCommand,
  addSeedCommand,
  addInvestorCommands,
  addCompanyCommands,
  addPortfolioCommands,
  addKeyCommands,
  addCompanyKeyCommands,
  addContactCommands,
  addDeskCommands,
  addRequestCommands,
  addEventCommands,
  addMailCommands,
  addWebhookCommands,
  addAccessLogCommands,
  addImportCommand,
  addExportCommand,
  addVerifyCommand,
  addSignerCommands,
  addSigningKeyCommands,
  addMetricCommands,
  addSignCommand,
];

export function createProgram(context: CliContext): Command {
  const program = new Command('portfolio-access')
    .description('Operate Portfolio Access: investors, companies, keys, access requests and data.')
    .version(readVersion())
    .enablePositionalOptions()
    .option('--json', 'print one JSON document')
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
      outputError: (text, print) => print(colorError(context.stderr, text)),
    })
    .addHelpText('after', environmentHelp);
  for (const add of addCommands) add(program, context);
  addCompletion(program, { completionCommandName: 'completion' });
  return program;
}
