import type { Owner } from '../identity/owner.ts';
import type { SettingsChange, SettingsSubject } from '../identity/settings-change.ts';
import { differences } from './differences.ts';

type State = Readonly<Record<string, unknown>>;

/** A stored setting, with only the fields that the settings log contains. */
export interface StoredSetting {
  /** A setting of the type `portfolio` is one company in an investor's portfolio. */
  readonly type: SettingsSubject['type'] | 'portfolio';
  readonly id: string;
  /** The state of a key also has `isRevoked`, which is true or null. */
  readonly state: State;
}

export interface OwnedSettings {
  readonly owner: Owner;
  readonly settings: readonly StoredSetting[];
  /** The entries of the settings log, oldest first. */
  readonly log: readonly SettingsChange[];
}

/** Compares the settings with their log. The log entries, applied in order, must result in the stored settings. */
export function findUnloggedSettings({ owner, settings, log }: OwnedSettings): string[] {
  const logged = new Map<string, State>();
  for (const entry of log) {
    // A change to a portfolio is in the company's log and in the investor's log. Only the investor's log is checked.
    const isOfInvestor = entry.type.startsWith('portfolio.');
    if (!(isOfInvestor && 'companyId' in owner)) apply(logged, entry);
  }
  const stored = new Set(settings.map(nameOf));
  const missing = [...logged.keys()].filter((name) => !stored.has(name));
  return [
    ...settings.flatMap((setting) => describe(setting, logged.get(nameOf(setting)))),
    ...missing.map((name) => `the ${name} is in the log, and isn't stored`),
  ];
}

const nameOf = ({ type, id }: Pick<StoredSetting, 'type' | 'id'>) => `${type} ${id}`;

function apply(logged: Map<string, State>, { type, subject, changes }: SettingsChange): void {
  const [group = '', act] = type.split('.');
  const name = group === 'portfolio' ? `portfolio ${subject.id}` : nameOf(subject);
  const before = logged.get(name) ?? {};
  const to = Object.fromEntries(Object.entries(changes).map(([key, value]) => [key, value.to]));
  switch (act) {
    case 'erased':
      applyErasure(logged, name, { ...before, ...to });
      break;
    case 'removed':
    case 'company_removed':
      logged.delete(name);
      break;
    case 'company_added':
      logged.set(name, {});
      break;
    case 'revoked':
      logged.set(name, { ...before, isRevoked: true });
      break;
    case 'rotated': {
      // The new key gets all values of the old key. The old key expires after the time in which both keys work.
      const { replacedBy, expiresAt = before.expiresAt } = to;
      logged.set(`${subject.type} ${replacedBy}`, before);
      logged.set(name, { ...before, replacedBy, expiresAt });
      break;
    }
    default:
      logged.set(name, { ...before, ...to });
  }
}

/** Erasing a company or an investor also removes its contacts and webhook endpoints, and revokes its keys. */
function applyErasure(logged: Map<string, State>, name: string, after: State): void {
  logged.delete(name);
  if (name.startsWith('contact ')) return;
  for (const [other, state] of logged) {
    if (/^(contact|webhook_endpoint) /.test(other)) logged.delete(other);
    else if (/^(api|company)_key /.test(other)) logged.set(other, { ...state, isRevoked: true });
  }
  logged.set(name, after);
}

function describe(setting: StoredSetting, logged: State | undefined): string[] {
  const name = nameOf(setting);
  if (logged === undefined) return [`the ${name} isn't in the log`];
  const names = Object.keys(setting.state).filter(
    (member) =>
      differences({ of: setting.state[member] }, { of: logged[member] }).length > 0 &&
      !(member === 'expiresAt' && endsSooner(setting.state.expiresAt, logged.expiresAt)),
  );
  return names.length === 0 ? [] : [`the ${name} isn't what the log says: ${names.join(', ')}`];
}

/** If the replacement of a key is rotated too, the replaced key expires before the time in the log. */
const endsSooner = (stored: unknown, logged: unknown): boolean =>
  typeof stored === 'string' && (typeof logged !== 'string' || stored < logged);
