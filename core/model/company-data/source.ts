/** The status of a source that does not deliver any more, in the words of whoever pushes it. */
export const failedStatus = 'failed';

/** A data source that the company has connected. Credentials are never part of it. */
export interface Source {
  readonly companyId: string;
  readonly provider: string;
  /** Sync status of the connection, `connected` when all is well. */
  readonly status: string;
  readonly accountName: string;
  readonly lastSyncedAt: Date;
}
