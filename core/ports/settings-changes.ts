import type { Cursor } from '../model/cursor.ts';
import type { Whose } from '../model/identity/owner.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';

export interface ListedChanges {
  /** Of one owner, or of all. */
  readonly owner: Whose;
  /** Only older ones than this. */
  readonly before: Cursor | null;
  readonly limit: number;
}

/**
 * The log of settings. Entries are given to the ports that make the changes, which must write both in one transaction, and
 * neither where nothing is changed. The store itself must refuse to change or remove an entry.
 */
export interface SettingsChanges {
  /** Newest first. */
  list(filter: ListedChanges): Promise<SettingsChange[]>;
}
