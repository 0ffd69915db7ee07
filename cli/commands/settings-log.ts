import type { SettingsChange } from '#core';
import { presentSettingsChange } from '#rest-adapter';
import { command } from '../command.ts';
import { ownerOptionsOf, parseCount, withDefault } from '../options.ts';
import { shorten } from '../table.ts';
import { showAll, view } from '../view.ts';

const changes = view({
  /** Adds the IDs of the company and the investor to REST's format. */
  json: (change: SettingsChange) => ({
    ...presentSettingsChange(change),
    company_id: change.companyId,
    investor_id: change.investorId,
  }),
  columns: {
    CREATED: 'created_at',
    TYPE: 'type',
    BY: ({ actor }) => actor.name ?? actor.id ?? actor.type,
    WHAT: ({ subject }) => subject.id,
    NAME: ({ subject }) => shorten(subject.name, 40),
    COMPANY: ({ company_id }) => company_id ?? '-',
    INVESTOR: ({ investor_id }) => investor_id ?? '-',
  },
  none: 'No changes.',
});

const maxAtOnce = 200;

export const commands = command(
  'settings-log',
  'list changes of people, keys, webhooks, names and portfolios, newest first',
  {
    examples: ['--company co_harbor', '--investor inv_0198c5c1 --limit 20 --json'],
    parameters: {
      ...ownerOptionsOf('only changes at'),
      limit: withDefault(
        '--limit <count>',
        `the maximum number of changes, up to ${maxAtOnce}`,
        parseCount,
        50,
      ),
    },
    async run({ operatorUseCases }, filter) {
      const { items, nextCursor } = await operatorUseCases.listSettingsChanges(filter);
      const more = 'There are more: show them with --limit.';
      return showAll(changes, items, { hasMore: nextCursor !== null, more });
    },
  },
);
