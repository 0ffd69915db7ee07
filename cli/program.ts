import addCompletion from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { readVersion } from '../gateway/version.ts';
import type { CliContext } from './context.ts';
import { colorError } from './output.ts';

const environmentHelp = `
The database is the one of the service: set DATABASE_URL, or DATA_DIR for the embedded one (default .data).
The service may run at the same time. docs/configuration.md lists every variable.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage.`;

type Add = (program: Command, context: CliContext) => void;

interface CommandModule {
  /** What it adds to the program. */
  readonly names: readonly string[];
  load(): Promise<Add>;
}

/** In the order in which --help lists them. */
export const commandModules: readonly CommandModule[] = [
  { names: ['serve'], load: async () => (await import('./commands/serve.ts')).addServeCommand },
  { names: ['doctor'], load: async () => (await import('./commands/doctor.ts')).addDoctorCommand },
  {
    names: ['migrate'],
    load: async () => (await import('./commands/migrate.ts')).addMigrateCommand,
  },
  { names: ['roles'], load: async () => (await import('./commands/roles.ts')).addRolesCommand },
  { names: ['seed'], load: async () => (await import('./commands/seed.ts')).addSeedCommand },
  {
    names: ['investor'],
    load: async () => (await import('./commands/organisations.ts')).addInvestorCommands,
  },
  {
    names: ['company'],
    load: async () => (await import('./commands/organisations.ts')).addCompanyCommands,
  },
  {
    names: ['portfolio'],
    load: async () => (await import('./commands/portfolio.ts')).addPortfolioCommands,
  },
  { names: ['key'], load: async () => (await import('./commands/key.ts')).addKeyCommands },
  {
    names: ['company-key'],
    load: async () => (await import('./commands/company-key.ts')).addCompanyKeyCommands,
  },
  {
    names: ['contact'],
    load: async () => (await import('./commands/contact.ts')).addContactCommands,
  },
  { names: ['desk'], load: async () => (await import('./commands/desk.ts')).addDeskCommands },
  {
    names: ['request'],
    load: async () => (await import('./commands/request.ts')).addRequestCommands,
  },
  { names: ['event'], load: async () => (await import('./commands/event.ts')).addEventCommands },
  { names: ['mail'], load: async () => (await import('./commands/mail.ts')).addMailCommands },
  {
    names: ['webhook'],
    load: async () => (await import('./commands/webhook.ts')).addWebhookCommands,
  },
  {
    names: ['access-log', 'drop-access-log'],
    load: async () => (await import('./commands/access-log.ts')).addAccessLogCommands,
  },
  { names: ['import'], load: async () => (await import('./commands/import.ts')).addImportCommand },
  { names: ['export'], load: async () => (await import('./commands/export.ts')).addExportCommand },
  { names: ['verify'], load: async () => (await import('./commands/verify.ts')).addVerifyCommand },
  { names: ['signer'], load: async () => (await import('./commands/signer.ts')).addSignerCommands },
  {
    names: ['signing-key'],
    load: async () => (await import('./commands/signing-key.ts')).addSigningKeyCommands,
  },
  { names: ['metric'], load: async () => (await import('./commands/metric.ts')).addMetricCommands },
  { names: ['sign'], load: async () => (await import('./commands/sign.ts')).addSignCommand },
];

/** The command that a line names, alone, because loading all takes most of a short command's time; else all of them. */
function neededFor(commandLine: readonly string[]): readonly CommandModule[] {
  const first = commandLine.find((word) => word !== '--json');
  const named = commandModules.filter(({ names }) => names.some((name) => name === first));
  return named.length > 0 ? named : commandModules;
}

export async function createProgram(
  commandLine: readonly string[],
  context: CliContext,
): Promise<Command> {
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
  for (const { load } of neededFor(commandLine)) (await load())(program, context);
  addCompletion(program, { completionCommandName: 'completion' });
  return program;
}
