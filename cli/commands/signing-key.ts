import type { ListedSigningKey } from '#core';
import { command, group } from '../command.ts';
import { argument } from '../options.ts';
import { showAll, view } from '../view.ts';

const signingKeys = view({
  json: ({ kid, x, state, createdAt, retiredAt }: ListedSigningKey) => ({
    kid,
    x,
    state,
    created_at: createdAt.toISOString(),
    retired_at: retiredAt?.toISOString() ?? null,
  }),
  columns: { KID: 'kid', STATE: 'state', CREATED: 'created_at', RETIRED: 'retired_at' },
  none: 'No signing keys yet. Make one: SIGNING_KEY_FILE=… portfolio-access signing-key rotate',
});

const exampleKid = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const examples = ['', '--json'];

export const commands = group(
  'signing-key',
  'the keys with which values and receipts are signed',
  command('list', 'list the public keys, oldest first', {
    examples,
    run: async ({ operatorUseCases }) =>
      showAll(signingKeys, await operatorUseCases.listSigningKeys()),
  }),
  command(
    'rotate',
    'make a key and put it into SIGNING_KEY_FILE; running processes read it on SIGHUP',
    {
      examples,
      async run({ operatorUseCases }) {
        const { kid, previousKid } = await operatorUseCases.rotateSigningKey();
        const before =
          previousKid === null ? '' : `\nWhat ${previousKid} has signed can still be verified.`;
        return {
          json: { kid, previous_kid: previousKid },
          text: `${kid} is the new signing key.${before}\nSend SIGHUP to running processes, or restart them.\nKeep a copy of the new file in a safe place.`,
        };
      },
    },
  ),
  command(
    'register',
    'let a key sign that was put into SIGNING_KEY_FILE by other means than rotate',
    {
      examples,
      async run({ operatorUseCases }) {
        const { kid } = await operatorUseCases.registerSigningKey();
        return {
          json: { kid },
          text: `${kid} is registered.\nSend SIGHUP to running processes, or restart them.`,
        };
      },
    },
  ),
  command('retire', 'publish a key no longer; refused while a value or a receipt depends on it', {
    examples: [exampleKid, '-- -VWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4kkPrK_qmx'],
    takes: { kid: argument('<kid>', 'the key; after -- when it begins with a dash') },
    async run({ operatorUseCases }, { kid }) {
      await operatorUseCases.retireSigningKey(kid);
      return { json: { kid, retired: true }, text: `${kid} is retired.` };
    },
  }),
);
