import { type SettingsChange, type SettingsChanges, subjectWarnedTypes, warnedTypes } from '#core';
import { idOfOwner, isBefore, newestFirst, type Store, waitingSince } from './store.ts';

type Log = Pick<Store, 'settingsChanges' | 'contacts' | 'mails'>;

export function createMemorySettingsChanges({ settingsChanges }: Store): SettingsChanges {
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

export function logChange(store: Log, change: SettingsChange): void {
  store.settingsChanges.set(change.id, structuredClone(change));
  if (!warnedTypes.includes(change.type)) return;
  const owner = change.companyId ?? change.investorId;
  const admins = [...store.contacts.values()].filter(
    (one) => idOfOwner(one.owner) === owner && one.role === 'admin' && one.id !== change.subject.id,
  );
  const concerned = subjectWarnedTypes.includes(change.type) ? [change.subject.name] : [];
  for (const to of new Set([...admins.map(({ email }) => email), ...concerned])) {
    const id = `ml_${change.id}${to}`;
    store.mails.set(id, {
      id,
      to,
      contactId: null,
      kind: 'settings_changed',
      event: null,
      owner: change.companyId === null ? { investorId: owner ?? '' } : { companyId: owner ?? '' },
      change: structuredClone(change),
      ...waitingSince(change.createdAt),
    });
  }
}

const isChange = (argument: unknown): argument is SettingsChange =>
  typeof argument === 'object' &&
  argument !== null &&
  'id' in argument &&
  String(argument.id).startsWith('chg_');

/** The methods write the log entries among their arguments, unless they return false. */
export function logging<Port extends object>(log: Log, port: Port, names: (keyof Port)[]): Port {
  const wrapped = names.map((name) => {
    const method = port[name] as (...given: unknown[]) => Promise<unknown>;
    return [
      name,
      async (...given: unknown[]) => {
        const result = await method(...given);
        if (result !== false) for (const one of given.flat().filter(isChange)) logChange(log, one);
        return result;
      },
    ];
  });
  return { ...port, ...Object.fromEntries(wrapped) };
}
