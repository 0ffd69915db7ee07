import type { DataEventType, DataFeedEvent } from '#core';
import { type ChangesProcedure, subscription } from './subscription.ts';

/** A source that has failed, recovered or become stale. */
export interface ChangedSource {
  readonly provider: string;
  readonly accountName: string;
}

/** A change of the data of a company: it names what of it you may read has changed, never a value. */
export interface CompanyDataChange {
  /** Id of the event. */
  readonly id: string;
  readonly type: DataEventType;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly companyId: string;
  /** The metrics of which something has changed. */
  readonly metricKeys: readonly string[];
  readonly hasSources: boolean;
  readonly hasAccounts: boolean;
  /** The first of `sources`. Null for `company_data.updated`. */
  readonly source: ChangedSource | null;
  /**
   * The sources that have failed, recovered or become stale, sorted by provider and account name. Up to 32,000 characters
   * of names. Empty for `company_data.updated`.
   */
  readonly sources: readonly ChangedSource[];
  /** The number of sources, also of those that `sources` leaves out. */
  readonly sourceCount: number;
  /** The version of the data after the change; another one after every change. */
  readonly dataVersion: string;
}

function presentChange(event: DataFeedEvent): CompanyDataChange {
  const { id, type, createdAt, companyId } = event;
  const common = { id, type, createdAt: createdAt.toISOString(), companyId };
  if (event.type === 'company_data.updated') {
    return { ...common, ...event.data, source: null, sources: [], sourceCount: 0 };
  }
  const { provider, accountName, ...data } = event.data;
  const source = { provider, accountName };
  return { ...common, ...data, metricKeys: [], hasSources: true, hasAccounts: false, source };
}

type Subscriptions = {
  /**
   * What changes of the data that you are granted, as it changes: each event once, in one order, and only what a grant
   * covers as it is sent. It begins now, or after the event `lastEventId`, which can be up to 90 days old. The first
   * message of each connection has the type `stream.started`.
   */
  readonly onDataChange: ChangesProcedure<CompanyDataChange>;
};

export const companySubscriptions: Subscriptions = {
  onDataChange: subscription(({ watchCompanyData }) => watchCompanyData, presentChange),
};
