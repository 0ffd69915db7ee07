import { companyInput, type Source as SourceOfCore } from '#core';
import { presentSource } from '#http';
import { procedure, shown } from './procedures.ts';

/** A data source that a company has connected. */
export interface Source {
  readonly companyId: string;
  readonly provider: string;
  /**
   * Sync status of the connection: `connected` when all is well, `stale` when it was not synced when it was expected,
   * `failed` when it does not work any more.
   */
  readonly status: string;
  readonly accountName: string;
  /** RFC 3339. */
  readonly lastSyncedAt: string;
}

export const sourceProcedures = {
  /** The data sources that a company has connected. Needs the scope `sources:read` and a live grant. */
  list: procedure
    .input(shown(companyInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases.readSources(caller, input).then(write.list<SourceOfCore, Source>(presentSource)),
    ),
};
