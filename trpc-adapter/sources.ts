import { companyInput, type Source as SourceOfCore } from '#core';
import { presentSource } from '#http';
import { procedure, showInput } from './procedures.ts';

/** A connected data source of a company. */
export interface Source {
  /** ID of the company. */
  readonly companyId: string;
  /** Name of the connected provider. */
  readonly provider: string;
  /**
   * Sync status: `connected` if it works, `stale` if the expected sync is overdue, `failed` if it no longer works. Other
   * values come from the source.
   */
  readonly status: string;
  /** Label of the connected account. */
  readonly accountName: string;
  /** Time of the last sync, in RFC 3339. */
  readonly lastSyncedAt: string;
}

export const sourceProcedures = {
  /** Returns the connected data sources of a company. Needs the scope `sources:read` and a live grant. */
  list: procedure
    .input(showInput(companyInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases.readSources(caller, input).then(write.list<SourceOfCore, Source>(presentSource)),
    ),
};
