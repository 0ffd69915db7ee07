import type { ListedSigningKey } from '#core';
import { command, group } from '../command.ts';
import { argument, flag } from '../options.ts';
import { showAll, view } from '../view.ts';

const signingKeys = view({
  json: ({ kid, x, state, createdAt, signsAt, retiredAt }: ListedSigningKey) => ({
    kid,
    x,
    state,
    created_at: createdAt.toISOString(),
    signs_at: state === 'imported' ? null : signsAt.toISOString(),
    retired_at: retiredAt?.toISOString() ?? null,
  }),
  columns: {
    KID: 'kid',
    STATE: 'state',
    CREATED: 'created_at',
    'SIGNS FROM': 'signs_at',
    RETIRED: 'retired_at',
  },
  none: 'No signing keys yet. Create one: SIGNING_KEY_FILE=… portfolio-access signing-key rotate',
});

const exampleKid = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const examples = ['', '--now --json'];
const parameters = {
  atOnce: flag(
    '--now',
    'sign at once instead of after five minutes; verifiers that cache the key set reject the new signatures until then',
  ),
};

const describeStart = (kid: string, { signsAt }: { readonly signsAt: Date }) =>
  signsAt > new Date() ? `${kid} signs from ${signsAt.toISOString()} on.` : `${kid} signs now.`;

export const commands = group(
  'signing-key',
  'keys that sign values and receipts',
  command('list', 'list the public keys, oldest first', {
    examples: ['', '--json'],
    run: async ({ operatorUseCases }) =>
      showAll(signingKeys, await operatorUseCases.listSigningKeys()),
  }),
  command('rotate', 'create a key in SIGNING_KEY_FILE; running processes read it on SIGHUP', {
    examples,
    parameters,
    async run({ operatorUseCases }, options) {
      const rotation = await operatorUseCases.rotateSigningKey(options);
      const { kid, previousKid, signsAt } = rotation;
      const before =
        previousKid === null ? '' : `\nSignatures of ${previousKid} can still be verified.`;
      return {
        json: { kid, previous_kid: previousKid, signs_at: signsAt.toISOString() },
        text: `${kid} is the new signing key.${before}\n${describeStart(kid, rotation)}\nSend SIGHUP to running processes, or restart them.\nKeep a copy of the new file in a safe place.`,
      };
    },
  }),
  command('register', 'register a key in SIGNING_KEY_FILE that rotate didn’t create', {
    examples,
    parameters,
    async run({ operatorUseCases }, options) {
      const registered = await operatorUseCases.registerSigningKey(options);
      const { kid, signsAt } = registered;
      return {
        json: { kid, signs_at: signsAt.toISOString() },
        text: `${kid} is registered.\n${describeStart(kid, registered)}\nSend SIGHUP to running processes, or restart them.`,
      };
    },
  }),
  command('retire', 'stop publishing a key; refused while a value or a receipt needs it', {
    examples: [exampleKid, '-- -VWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4kkPrK_qmx'],
    parameters: { kid: argument('<kid>', 'the key; put -- before it if it begins with a dash') },
    async run({ operatorUseCases }, { kid }) {
      await operatorUseCases.retireSigningKey(kid);
      return { json: { kid, retired: true }, text: `${kid} is retired.` };
    },
  }),
);
