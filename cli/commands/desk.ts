import type { ContactSession } from '#core';
import { deskUrl, serviceUrl, signInUrl } from '../../gateway/mail/links.ts';
import { command, group } from '../command.ts';
import { argument, optional, ownerOptionsOf } from '../options.ts';
import { CommandError } from '../output.ts';
import { showAll, view } from '../view.ts';

const sessions = view({
  json: ({ id, email, createdAt, lastSeenAt, expiresAt, device, signedInBy }: ContactSession) => ({
    id,
    email,
    created_at: createdAt.toISOString(),
    last_seen_at: lastSeenAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    signed_in_by: signedInBy,
    device,
  }),
  columns: {
    ID: 'id',
    EMAIL: 'email',
    CREATED: 'created_at',
    'LAST SEEN': 'last_seen_at',
    UNTIL: 'expires_at',
    BY: 'signed_in_by',
    DEVICE: 'device',
  },
  none: 'No sessions.',
});

const ownerOptions = ownerOptionsOf('of');

export const commands = group(
  'desk',
  'sign-in links and sessions of the desk',
  command('link', 'create a sign-in link, which works once within 15 minutes', {
    examples: [
      '--company co_harbor',
      '--investor inv_0198c5c1',
      '--company co_harbor --contact board@harbor.example --json',
    ],
    parameters: {
      ...ownerOptions,
      email: optional('--contact <address>', 'the contact; default: the oldest one'),
    },
    async run({ operatorUseCases }, args, { readConfig }) {
      const config = readConfig();
      if (!config.desk) throw new CommandError('DESK_SIGN_IN is off, so sign-in links don’t work');
      const { token, email, expiresAt } = await operatorUseCases.createSignInLink(args);
      const url = signInUrl(deskUrl(serviceUrl(config)), token);
      const until = expiresAt.toISOString();
      return {
        json: {
          url,
          email,
          company_id: args.companyId ?? null,
          investor_id: args.investorId ?? null,
          expires_at: until,
        },
        text: `${url}\n\nFor ${email}, once, until ${until}.`,
      };
    },
  }),
  group(
    'session',
    'sessions of contacts',
    command('list', 'list the sessions of a company’s or an investor’s contacts', {
      examples: ['--company co_harbor'],
      parameters: ownerOptions,
      run: async ({ operatorUseCases }, filter) =>
        showAll(sessions, await operatorUseCases.listContactSessions(filter)),
    }),
    command('end', 'end a session at once', {
      examples: ['ds_0198c5c1'],
      parameters: { id: argument('<id>', 'id of the session') },
      async run({ operatorUseCases }, { id }) {
        await operatorUseCases.endContactSession({ id });
        return { json: { id, ended: true }, text: `Ended ${id}.` };
      },
    }),
  ),
);
