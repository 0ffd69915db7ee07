import type { Command } from 'commander';
import type { CompanySession } from '#core';
import type { Config } from '../../gateway/config.ts';
import { deskUrl, signInUrl } from '../../gateway/mail/links.ts';
import type { CliContext } from '../context.ts';
import { addCommand } from '../options.ts';
import { action, CommandError, toList } from '../output.ts';
import { type Column, renderTable } from '../table.ts';

interface LinkOptions {
  readonly company: string;
  readonly contact?: string;
}

const columns: readonly Column<CompanySession>[] = [
  ['ID', ({ id }) => id],
  ['EMAIL', ({ email }) => email],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['LAST SEEN', ({ lastSeenAt }) => lastSeenAt.toISOString()],
  ['DEVICE', ({ device }) => device],
];

const sessionJson = ({ id, email, createdAt, lastSeenAt, device }: CompanySession) => ({
  id,
  email,
  created_at: createdAt.toISOString(),
  last_seen_at: lastSeenAt.toISOString(),
  device,
});

export function addDeskCommands(program: Command, context: CliContext): void {
  const group = program
    .command('desk')
    .description('the pages on which the contacts of a company decide');

  addCommand(group, 'link', 'make a link that signs a contact in, once, for 15 minutes', [
    '--company co_harbor',
    '--company co_harbor --contact board@harbor.example --json',
  ])
    .requiredOption('--company <id>', 'the company')
    .option('--contact <address>', 'which contact; its oldest if nothing is said')
    .action(
      action(context, async ({ operatorUseCases }, { company, contact }: LinkOptions) => {
        const config = context.readConfig();
        if (!config.desk) {
          throw new CommandError('DESK is off: there is nothing to sign in to');
        }
        const link = { companyId: company, email: contact };
        const { token, email, expiresAt } = await operatorUseCases.createSignInLink(link);
        const url = signInUrl(deskUrl(serviceUrl(config)), token);
        const until = expiresAt.toISOString();
        return {
          json: { url, email, company_id: company, expires_at: until },
          text: `${url}\n\nFor ${email}, once, until ${until}.`,
        };
      }),
    );

  const sessions = group.command('session').description('where contacts are signed in');

  addCommand(sessions, 'list', 'list where the contacts of a company are signed in', [
    '--company co_harbor',
  ])
    .requiredOption('--company <id>', 'the company')
    .action(
      action(context, async ({ operatorUseCases }, { company }: { company: string }) => {
        const found = await operatorUseCases.listCompanySessions({ companyId: company });
        return {
          json: toList(found.map(sessionJson)),
          text: renderTable(columns, found, 'No sessions.'),
        };
      }),
    );

  addCommand(sessions, 'end', 'sign a contact out, at once', ['ds_0198c5c1'])
    .argument('<id>', 'id of the session')
    .action(
      action(context, async ({ operatorUseCases }, id: string) => {
        await operatorUseCases.endCompanySession({ id });
        return { json: { id, ended: true }, text: `Ended ${id}.` };
      }),
    );
}

/** All addresses of a machine; one of them is this. */
const unspecified: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** Where the service is reached: what is configured, else where it would listen. */
export function serviceUrl({ publicUrl, host, port }: Config): string {
  if (publicUrl !== null) return publicUrl;
  const address = unspecified[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${address}:${port}`;
}
