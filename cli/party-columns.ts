import type { presentParty } from './present.ts';
import type { Column } from './table.ts';

/** Investors and companies in a table. */
export const partyColumns: readonly Column<ReturnType<typeof presentParty>>[] = [
  ['ID', ({ id }) => id],
  ['NAME', ({ name }) => name],
  ['ENVIRONMENT', ({ environment }) => environment],
  ['CREATED', (party) => party.created_at],
];
