import type { Command } from 'commander';
import type { MintedApiKey, Scope } from '#core';
import type { CliContext } from '../context.ts';
import { keyJson } from '../json.ts';
import { addCommand, parseCount, parseDuration, parseInstant, parseScopes } from '../options.ts';
import { action, type CommandResult, toList } from '../output.ts';
import { type Column, renderFields, renderTable } from '../table.ts';

const columns: readonly Column<ReturnType<typeof keyJson>>[] = [
  ['ID', ({ id }) => id],
  ['INVESTOR', (key) => key.investor_id],
  ['HINT', ({ hint }) => hint],
  ['STATE', ({ state }) => state],
  ['SCOPES', ({ scopes }) => scopes.join(',')],
  ['LIMIT', (key) => key.rate_limit?.toString() ?? 'default'],
  ['CREATED', (key) => key.created_at],
  ['EXPIRES', (key) => key.expires_at],
];

const day = 86_400_000;

interface CreateOptions {
  readonly investor: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: Date;
  readonly rateLimit?: number;
}

export function addKeyCommands(program: Command, context: CliContext): void {
  const group = program.command('key').description('API keys of investors');

  addCommand(group, 'create', 'mint a key; its secret is shown this once', [
    '--investor inv_0198c5c1 --scopes companies:read,metrics:read',
    '--investor inv_0198c5c1 --scopes companies:read --expires-at 2027-01-31 --rate-limit 100',
  ])
    .requiredOption('--investor <id>', 'id of the investor that it is bound to')
    .requiredOption('--scopes <list>', 'what it may do, separated by commas', parseScopes)
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
      action(context, async ({ operatorUseCases }, { investor, ...rest }: CreateOptions) =>
        showSecret(await operatorUseCases.createApiKey({ investorId: investor, ...rest })),
      ),
    );

  addCommand(group, 'list', 'list keys, oldest first; never their secrets', [
    '',
    '--investor inv_0198c5c1 --json',
  ])
    .option('--investor <id>', 'only the keys of this investor')
    .action(
      action(context, async ({ operatorUseCases }, { investor }: { investor?: string }) => {
        const now = new Date();
        const keys = await operatorUseCases.listApiKeys({ investorId: investor });
        const rows = keys.map((key) => keyJson(key, now));
        const whenEmpty = 'No keys yet. Mint one: portfolio-access key create --help';
        return { json: toList(rows), text: renderTable(columns, rows, whenEmpty) };
      }),
    );

  addCommand(
    group,
    'rotate',
    'mint a successor with the same rights; the old key works until the overlap is over',
    ['key_0198c5c1', 'key_0198c5c1 --overlap 0'],
  )
    .argument('<id>', 'id of the key')
    .option(
      '--overlap <duration>',
      'how long the old key still works: 0, 30m, 24h, 7d',
      parseDuration,
      day,
    )
    .action(
      action(context, async ({ operatorUseCases }, id: string, options: { overlap: number }) =>
        showSecret(await operatorUseCases.rotateApiKey(id, options.overlap)),
      ),
    );

  addCommand(group, 'revoke', 'end a key at once, for good', ['key_0198c5c1'])
    .argument('<id>', 'id of the key')
    .action(
      action(context, async ({ operatorUseCases }, id: string) => {
        const key = await operatorUseCases.revokeApiKey(id);
        return { json: keyJson(key, new Date()), text: `${key.id} is revoked.` };
      }),
    );
}

function showSecret({ key, secret }: MintedApiKey): CommandResult {
  const { id, ...rest } = keyJson(key, new Date());
  const fields = renderFields({
    id,
    secret,
    investor: rest.investor_id,
    scopes: rest.scopes.join(','),
    expires: rest.expires_at ?? 'never',
  });
  return {
    json: { id, secret, ...rest },
    text: `${fields}\n\nKeep the secret now: it will not be shown again.`,
  };
}
