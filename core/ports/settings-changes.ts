import type { Cursor } from '../model/cursor.ts';
import type { OwnerOrOperator } from '../model/identity/owner.ts';
import type { SettingsChange } from '../model/identity/settings-change.ts';

export interface ListedChanges {
  /** The owner of the listed entries. Null means all owners. */
  readonly owner: OwnerOrOperator;
  readonly before: Cursor | null;
  readonly limit: number;
}

/**
 * The settings log. Other ports write an entry together with its change, in one transaction. If nothing changes, they
 * write no entry. The repository must refuse to change or remove an entry.
 */
export interface SettingsChanges {
  /** Lists entries, newest first. */
  list(filter: ListedChanges): Promise<SettingsChange[]>;
}
