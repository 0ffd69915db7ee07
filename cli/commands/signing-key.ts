import type { Command } from 'commander';
import type { ListedSigningKey } from '#core';
import type { CliContext } from '../context.ts';
import { signingKeyJson } from '../json.ts';
import { addCommand } from '../options.ts';
import { action, toList } from '../output.ts';
import { type Column, renderTable } from '../table.ts';

const columns: readonly Column<ListedSigningKey>[] = [
  ['KID', ({ kid }) => kid],
  ['STATE', ({ state }) => state],
  ['CREATED', ({ createdAt }) => createdAt.toISOString()],
  ['RETIRED', ({ retiredAt }) => retiredAt?.toISOString() ?? null],
];

const exampleKid = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';

export function addSigningKeyCommands(program: Command, context: CliContext): void {
  const group = program
    .command('signing-key')
    .description('the keys with which values and receipts are signed');

  addCommand(group, 'list', 'list the public keys, oldest first', ['', '--json']).action(
    action(context, async ({ operatorUseCases }) => {
      const keys = await operatorUseCases.listSigningKeys();
      const whenEmpty =
        'No signing keys yet. Make one: SIGNING_KEY_FILE=… portfolio-access signing-key rotate';
      return {
        json: toList(keys.map(signingKeyJson)),
        text: renderTable(columns, keys, whenEmpty),
      };
    }),
  );

  addCommand(
    group,
    'rotate',
    'make a key, the first one too, and put it into SIGNING_KEY_FILE; running processes take it up',
    ['', '--json'],
  ).action(
    action(context, async ({ operatorUseCases }) => {
      const { kid, previousKid } = await operatorUseCases.rotateSigningKey();
      const before =
        previousKid === null ? '' : `\nWhat ${previousKid} has signed can still be verified.`;
      return {
        json: { kid, previous_kid: previousKid },
        text: `From now on ${kid} signs.${before}\nKeep a copy of the new file in a safe place.`,
      };
    }),
  );

  addCommand(
    group,
    'register',
    'let a key sign that was put into SIGNING_KEY_FILE by other means than rotate',
    ['', '--json'],
  ).action(
    action(context, async ({ operatorUseCases }) => {
      const { kid } = await operatorUseCases.registerSigningKey();
      return { json: { kid }, text: `${kid} may sign; running processes take it up.` };
    }),
  );

  addCommand(
    group,
    'retire',
    'publish a key no longer; refused while a value or a receipt depends on it',
    [exampleKid, '-- -VWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4kkPrK_qmx'],
  )
    .argument('<kid>', 'the key; after -- when it begins with a dash')
    .action(
      action(context, async ({ operatorUseCases }, kid: string) => {
        await operatorUseCases.retireSigningKey(kid);
        return { json: { kid, retired: true }, text: `${kid} is retired.` };
      }),
    );
}
