import type { Command } from 'commander';
import type { MintedApiKey, Scope } from '#core';
import { type Answer, answering, listOf } from '../answer.ts';
import type { Host } from '../host.ts';
import { addCommand } from '../options.ts';
import { presentKey } from '../present.ts';
import { type Column, renderFields, renderTable } from '../table.ts';
import { parseCount, parseDuration, parseInstant, parseScopes } from '../values.ts';

interface CreateOptions {
  readonly investor: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt?: Date;
  readonly rateLimit?: number;
}

const columns: readonly Column<ReturnType<typeof presentKey>>[] = [
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

export function addKeyCommands(program: Command, host: Host): void {
  const group = program.command('key').description('API keys of investors');
  addCreate(group, host);
  addList(group, host);
  addRotate(group, host);
  addRevoke(group, host);
}

function addCreate(group: Command, host: Host): void {
  addCommand(group, {
    name: 'create',
    description: 'mint a key; its secret is shown this once',
    examples: [
      'portfolio-access key create --investor inv_0198c5c1 --scopes companies:read,metrics:read',
      'portfolio-access key create --investor inv_0198c5c1 --scopes companies:read --expires-at 2027-01-31 --rate-limit 100',
    ],
  })
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
      answering(host, async ({ operatorUseCases }, options: CreateOptions) => {
        const { investor: investorId, scopes, expiresAt, rateLimit } = options;
        return handOut(
          await operatorUseCases.createApiKey({ investorId, scopes, expiresAt, rateLimit }),
        );
      }),
    );
}

function addList(group: Command, host: Host): void {
  addCommand(group, {
    name: 'list',
    description: 'list keys, oldest first; never their secrets',
    examples: [
      'portfolio-access key list',
      'portfolio-access key list --investor inv_0198c5c1 --json',
    ],
  })
    .option('--investor <id>', 'only the keys of this investor')
    .action(
      answering(host, async ({ operatorUseCases }, options: { investor?: string }) => {
        const now = new Date();
        const keys = await operatorUseCases.listApiKeys({ investorId: options.investor });
        const presented = keys.map((key) => presentKey(key, now));
        const whenEmpty = 'No keys yet. Mint one: portfolio-access key create --help';
        return { json: listOf(presented), text: renderTable(columns, presented, whenEmpty) };
      }),
    );
}

function addRotate(group: Command, host: Host): void {
  addCommand(group, {
    name: 'rotate',
    description:
      'mint a successor with the same rights; the old key works until the overlap is over',
    examples: [
      'portfolio-access key rotate key_0198c5c1',
      'portfolio-access key rotate key_0198c5c1 --overlap 0',
    ],
  })
    .argument('<id>', 'id of the key')
    .option(
      '--overlap <duration>',
      'how long the old key still works: 0, 30m, 24h, 7d',
      parseDuration,
      day,
    )
    .action(
      answering(host, async ({ operatorUseCases }, id: string, options: { overlap: number }) =>
        handOut(await operatorUseCases.rotateApiKey(id, options.overlap)),
      ),
    );
}

function addRevoke(group: Command, host: Host): void {
  addCommand(group, {
    name: 'revoke',
    description: 'end a key at once, for good',
    examples: ['portfolio-access key revoke key_0198c5c1'],
  })
    .argument('<id>', 'id of the key')
    .action(
      answering(host, async ({ operatorUseCases }, id: string) => {
        const key = await operatorUseCases.revokeApiKey(id);
        return { json: presentKey(key, new Date()), text: `${key.id} is revoked.` };
      }),
    );
}

function handOut({ key, secret }: MintedApiKey): Answer {
  const { id, ...rest } = presentKey(key, new Date());
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
