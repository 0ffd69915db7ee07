import type { ValueMark } from '../../model/company-data/entered-metric.ts';
import {
  type ImportedMetric,
  isImportedMetric,
  type Metric,
} from '../../model/company-data/metric.ts';
import type { Ports } from '../../ports/index.ts';
import { findCompany } from '../identity/organisations.ts';
import { checkEntered, valueNameOf } from './check-entered.ts';
import { openOwnData } from './read-own-data.ts';

interface OfCompany {
  readonly companyId: string;
}

/**
 * Returns the latest value of each metric of a company. Writes no access record, because no investor reads.
 *
 * @throws Refusal `company_not_found`
 */
export const readLatestOfCompany =
  (ports: Ports) =>
  async ({ companyId }: OfCompany): Promise<readonly Metric[]> => {
    const company = await findCompany(ports, companyId);
    return ports.companyData.latestMetrics(await openOwnData(ports, { ...company, companyId }));
  };

export interface CompletedRecord {
  readonly record: number;
  readonly metric: ImportedMetric;
  readonly isStored: boolean;
  /** The stored value of the period, else of the nearest period. Null if the metric is new. */
  readonly before: Metric | null;
  readonly marks: readonly ValueMark[];
}

/**
 * Completes metric records from the stored data of a company, and marks unlikely values. Omits records with problems,
 * because the import reports these problems.
 *
 * @throws Refusal `company_not_found`
 */
export const completeRecords =
  (ports: Ports) =>
  async ({
    companyId,
    records,
  }: OfCompany & { readonly records: readonly unknown[] }): Promise<readonly CompletedRecord[]> => {
    const { environment } = await findCompany(ports, companyId);
    const caller = { kind: 'contact', companyId, environment, source: null } as const;
    const { lines, stored, marks, nearest } = await checkEntered(ports, caller, records);
    return lines.flatMap(({ line, record }): CompletedRecord[] => {
      if (record.type !== 'metric' || !isImportedMetric(record.metric)) return [];
      const { metric } = record;
      const before = nearest.get(valueNameOf(metric)) ?? null;
      return [
        { record: line, metric, isStored: stored.has(line), before, marks: marks.get(line) ?? [] },
      ];
    });
  };
