import type { Command } from 'commander';
import type { ApiKey, Scope } from '#core';
import type { CliContext } from '../context.ts';
import { apiKeyJson } from '../json.ts';
import { addCommand, parseCount, parseInstant, parseScopes } from '../options.ts';
import { action } from '../output.ts';
import { shorten } from '../table.ts';
import { addKeyGroup, type KeyKind, showSecret } from './key-group.ts';

const apiKeys: KeyKind<ApiKey, ReturnType<typeof apiKeyJson>> = {
  group: 'key',
  description: 'API keys of investors',
  owner: 'investor',
  example: { key: 'key_0198c5c1', owner: 'inv_0198c5c1' },
  columns: [
    ['ID', ({ id }) => id],
    ['NAME', ({ name }) => name && shorten(name, 30)],
    ['ENVIRONMENT', ({ environment }) => environment],
    ['STATE', ({ state }) => state],
    ['LAST USED', (key) => key.last_used_at ?? 'never'],
    ['HINT', ({ hint }) => hint],
    ['INVESTOR', (key) => key.investor_id],
    ['SCOPES', ({ scopes }) => scopes.join(',')],
    ['LIMIT', (key) => key.rate_limit?.toString() ?? 'default'],
    ['CREATED', (key) => key.created_at],
    ['EXPIRES', (key) => key.expires_at],
  ],
  json: apiKeyJson,
  fields: ({ investor_id: investor, scopes }) => ({ investor, scopes: scopes.join(',') }),
  list: ({ listApiKeys }, investorId) => listApiKeys({ investorId }),
  rotate: ({ rotateApiKey }, id, overlap) => rotateApiKey({ id, overlapMilliseconds: overlap }),
  rename: ({ renameApiKey }, id, name) => renameApiKey({ id, name }),
  revoke: ({ revokeApiKey }, id) => revokeApiKey({ id }),
};

interface CreateOptions {
  readonly investor: string;
  readonly scopes: readonly Scope[];
  readonly name?: string;
  readonly expiresAt?: Date;
  readonly rateLimit?: number;
}

export function addKeyCommands(program: Command, context: CliContext): void {
  addKeyGroup(program, context, apiKeys, (group) =>
    addCommand(group, 'create', 'mint a key; its secret is shown this once', [
      '--investor inv_0198c5c1 --scopes companies:read,metrics:read --name "Nightly report"',
      '--investor inv_0198c5c1 --scopes companies:read --expires-at 2027-01-31 --rate-limit 100',
    ])
      .requiredOption('--investor <id>', 'id of the investor that it is bound to')
      .requiredOption('--scopes <list>', 'what it may do, separated by commas', parseScopes)
      .option('--name <name>', 'what you call it')
      .option(
        '--expires-at <when>',
        'a day (its start in UTC) or an RFC 3339 instant; never when absent',
        parseInstant,
      )
      .option(
        '--rate-limit <points>',
        'points a window; the default of the service when absent',
        parseCount,
      )
      .action(
        action(context, async ({ operatorUseCases }, options: CreateOptions) => {
          const { investor: investorId, scopes, name, expiresAt, rateLimit } = options;
          const key = { investorId, scopes, name, expiresAt, rateLimit };
          const minted = await operatorUseCases.createApiKey(key);
          return showSecret(apiKeys, minted);
        }),
      ),
  );
}
