import type { Cursor } from '../model/cursor.ts';
import type { OwnerOrOperator } from '../model/identity/owner.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';

export interface ListedChanges {
  /** The owner. Null means all owners. */
  readonly owner: OwnerOrOperator;
  /** Only entries older than this position. */
  readonly before: Cursor | null;
  readonly limit: number;
}

/**
 * The settings log. The ports that make a change get its entry, and must write both in one transaction, or neither if
 * nothing changes. The store must refuse to change or remove an entry.
 */
export interface SettingsChanges {
  /** Newest first. */
  list(filter: ListedChanges): Promise<SettingsChange[]>;
}
