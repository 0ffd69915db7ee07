import addCompletion from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { readVersion } from '../gateway/version.ts';
import type { AddCommand } from './command.ts';
import type { CliContext } from './context.ts';
import { colorError } from './output.ts';

const environmentHelp = `
Commands use the database of the service: set DATABASE_URL, or DATA_DIR for the embedded one (default .data).
The service may run at the same time. docs/configuration.md lists every variable.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage.`;

interface CommandModule {
  readonly names: readonly string[];
  load(): Promise<{ readonly commands: AddCommand }>;
}

/** The commands, in the order that `--help` shows. */
export const commandModules: readonly CommandModule[] = [
  { names: ['serve'], load: () => import('./commands/serve.ts') },
  { names: ['doctor'], load: () => import('./commands/doctor.ts') },
  { names: ['migrate'], load: () => import('./commands/migrate.ts') },
  { names: ['roles'], load: () => import('./commands/roles.ts') },
  { names: ['seed'], load: () => import('./commands/seed.ts') },
  { names: ['investor', 'company'], load: () => import('./commands/organisations.ts') },
  { names: ['onboard'], load: () => import('./commands/onboard.ts') },
  { names: ['portfolio'], load: () => import('./commands/portfolio.ts') },
  { names: ['key', 'company-key'], load: () => import('./commands/keys.ts') },
  { names: ['contact'], load: () => import('./commands/contact.ts') },
  { names: ['desk'], load: () => import('./commands/desk.ts') },
  { names: ['request'], load: () => import('./commands/request.ts') },
  { names: ['event'], load: () => import('./commands/event.ts') },
  { names: ['mail'], load: () => import('./commands/mail.ts') },
  { names: ['webhook'], load: () => import('./commands/webhook.ts') },
  { names: ['access-log'], load: () => import('./commands/access-log.ts') },
  { names: ['settings-log'], load: () => import('./commands/settings-log.ts') },
  { names: ['import'], load: () => import('./commands/import.ts') },
  { names: ['export'], load: () => import('./commands/export.ts') },
  { names: ['verify'], load: () => import('./commands/verify.ts') },
  { names: ['signer'], load: () => import('./commands/signer.ts') },
  { names: ['signing-key'], load: () => import('./commands/signing-key.ts') },
  { names: ['metric'], load: () => import('./commands/metric.ts') },
  { names: ['sign'], load: () => import('./commands/sign.ts') },
];

/** Loading all modules would take most of a short command's time. */
function findNeededModules(commandLine: readonly string[]): readonly CommandModule[] {
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
  for (const { load } of findNeededModules(commandLine)) (await load()).commands(program, context);
  addCompletion(program, { completionCommandName: 'completion' });
  return program;
}
