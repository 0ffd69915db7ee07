import type { DataEventType, DataFeedEvent } from '#core';
import { type ChangesProcedure, subscription } from './subscription.ts';

/** A source that failed, recovered or became stale. */
export interface ChangedSource {
  /** Name of the connected provider. */
  readonly provider: string;
  /** Label of the connected account. */
  readonly accountName: string;
}

/** A change of a company's data. Names only the changed data that you may read, without its values. */
export interface CompanyDataChange {
  /** ID of the event, of the form `evt_…`. To resume after this event, send its ID. */
  readonly id: string;
  /** The type of the change. */
  readonly type: DataEventType;
  /** Time of the change, in RFC 3339. */
  readonly createdAt: string;
  /** The company whose data changed. */
  readonly companyId: string;
  /** The keys of the changed metrics. */
  readonly metricKeys: readonly string[];
  /** True if a source changed. */
  readonly hasSources: boolean;
  /** True if an account changed. */
  readonly hasAccounts: boolean;
  /** The first source in `sources`. Null for `company_data.updated`. */
  readonly source: ChangedSource | null;
  /**
   * The sources that failed, recovered or became stale, sorted by provider and account name. The names have up to
   * 32,000 characters in total. Empty for `company_data.updated`.
   */
  readonly sources: readonly ChangedSource[];
  /** The number of all sources, including those that `sources` leaves out. */
  readonly sourceCount: number;
  /** The data version after the change. Every change has a new version. */
  readonly dataVersion: string;
}

function presentChange(event: DataFeedEvent): CompanyDataChange {
  const { id, type, createdAt, companyId } = event;
  const common = { id, type, createdAt: createdAt.toISOString(), companyId };
  if (event.type === 'company_data.updated') {
    const { latestPeriods: _periods, corrections: _corrections, ...data } = event.data;
    return { ...common, ...data, source: null, sources: [], sourceCount: 0 };
  }
  const { provider, accountName, ...data } = event.data;
  const source = { provider, accountName };
  return { ...common, ...data, metricKeys: [], hasSources: true, hasAccounts: false, source };
}

type Subscriptions = {
  /**
   * Streams the changes of the data that you may read, in order, each at least once. You get a change only if a grant
   * covers the data when the change is sent. The stream starts now, or after the event `lastEventId`, which can be up
   * to 90 days old. The first message of each connection has the type `stream.started`.
   */
  readonly onDataChange: ChangesProcedure<CompanyDataChange>;
};

export const companySubscriptions: Subscriptions = {
  onDataChange: subscription(({ watchCompanyData }) => watchCompanyData, presentChange),
};
