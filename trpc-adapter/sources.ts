import { companyInput, type Source as SourceOfCore } from '#core';
import { presentSource } from '#http';
import { procedure, shown } from './procedures.ts';

/** A connected data source of a company. */
export interface Source {
  readonly companyId: string;
  readonly provider: string;
  /**
   * Sync status of the connection: `connected` if it works, `stale` if the expected sync is overdue, `failed` if it no
   * longer
   * works.
   */
  readonly status: string;
  readonly accountName: string;
  /** RFC 3339. */
  readonly lastSyncedAt: string;
}

export const sourceProcedures = {
  /** Returns the connected data sources of a company. Needs the scope `sources:read` and a live grant. */
  list: procedure
    .input(shown(companyInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases.readSources(caller, input).then(write.list<SourceOfCore, Source>(presentSource)),
    ),
};
