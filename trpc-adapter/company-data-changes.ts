import type { DataEventType, DataFeedEvent } from '#core';
import { type ChangesProcedure, subscription } from './subscription.ts';

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
  /** The source that has failed, recovered or become stale; null for other changes. */
  readonly source: { readonly provider: string; readonly accountName: string } | null;
  /** The version of the data after the change; another one after every change. */
  readonly dataVersion: string;
}

function presentChange(event: DataFeedEvent): CompanyDataChange {
  const { id, type, createdAt, companyId } = event;
  const common = { id, type, createdAt: createdAt.toISOString(), companyId };
  if (event.type === 'company_data.updated') return { ...common, ...event.data, source: null };
  const { provider, accountName, dataVersion } = event.data;
  const source = { provider, accountName };
  return { ...common, metricKeys: [], hasSources: true, hasAccounts: false, source, dataVersion };
}

type Subscriptions = {
  /**
   * What changes of the data that you are granted, as it changes: each event once, in one order, and only what a grant
   * covers as it is sent. It begins now, or after the event `lastEventId`, which can be up to 90 days old.
   */
  readonly onDataChange: ChangesProcedure<CompanyDataChange>;
};

export const companySubscriptions: Subscriptions = {
  onDataChange: subscription(({ watchCompanyData }) => watchCompanyData, presentChange),
};
