import type { SettingsChange, SettingsChanges } from '#core';
import { isBefore, newestFirst, type Store } from './store.ts';

type Log = Pick<Store, 'settingsChanges'>;

export function createMemorySettingsChanges({ settingsChanges }: Log): SettingsChanges {
  return {
    async list({ owner, before, limit }) {
      const found = [...settingsChanges.values()].filter(
        (change) =>
          (owner === null ||
            ('companyId' in owner
              ? change.companyId === owner.companyId
              : change.investorId === owner.investorId)) &&
          isBefore({ instant: change.createdAt, id: change.id }, before),
      );
      return structuredClone(newestFirst(found).slice(0, limit));
    },
  };
}

export function tell({ settingsChanges }: Log, change: SettingsChange | undefined): void {
  if (change !== undefined) settingsChanges.set(change.id, structuredClone(change));
}

const isChange = (argument: unknown): argument is SettingsChange =>
  typeof argument === 'object' &&
  argument !== null &&
  'id' in argument &&
  String(argument.id).startsWith('chg_');

/** The methods of a port write the entries that they are given, unless they answer that they have changed nothing. */
export function telling<Port extends object>(log: Log, port: Port, names: (keyof Port)[]): Port {
  const wrapped = names.map((name) => {
    const method = port[name] as (...given: unknown[]) => Promise<unknown>;
    return [
      name,
      async (...given: unknown[]) => {
        const result = await method(...given);
        if (result !== false) for (const one of given.flat().filter(isChange)) tell(log, one);
        return result;
      },
    ];
  });
  return { ...port, ...Object.fromEntries(wrapped) };
}
