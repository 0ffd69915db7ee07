import type { Decimal } from './decimal.ts';

/** Turns `cash_balance` into `Cash balance`. */
export function labelOf(key: string): string {
  const words = key.replaceAll(/[_.-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export interface Metric {
  readonly companyId: string;
  readonly key: string;
  readonly label: string;
  /** ISO 4217 code. Null if the metric isn't money. */
  readonly currency: string | null;
  /** The date of the period, as `YYYY-MM-DD`. */
  readonly period: string;
  readonly source: MetricSource;
  readonly verification: Verification;
  readonly confidence: string;
  /** Formatted for display. Programs should use `rawValue`. */
  readonly value: string;
  readonly rawValue: Decimal;
  readonly category: string;
  /** The time at which the value was valid. */
  readonly asOf: Date;
  /** The revision number starts at 1. Each change to the period's value adds 1. */
  readonly revision: number;
}

/** A revision that voids the value of its period. All other fields are copied from the voided value. */
export interface VoidedMetric extends Omit<Metric, 'value' | 'rawValue'> {
  readonly value: null;
  readonly rawValue: null;
  readonly voidReason: string | null;
}

/** An item in a list of revisions. Only such lists contain voided values. */
export type MetricRevision = Metric | VoidedMetric;

/** The values of one metric, oldest first. Empty if the metric has no data. */
export interface MetricHistory {
  readonly key: string;
  readonly values: readonly Metric[];
}

type Imported<Revision extends MetricRevision> = Omit<Revision, 'revision' | 'verification'> & {
  readonly verification: UnsignedVerification;
  /** The fields that the record lacks, so they have defaults. A default never replaces a stored name. */
  readonly defaultedFields?: readonly (keyof MetricName)[];
};

/** A value from an import. Its revision number is unknown until the value is stored. */
export type ImportedMetric = Imported<Metric>;

export type ImportedVoid = Imported<VoidedMetric>;

export type ImportedRevision = ImportedMetric | ImportedVoid;

export const isImportedMetric = (metric: ImportedRevision): metric is ImportedMetric =>
  metric.rawValue !== null;

export interface MetricVoid extends MetricPeriod {
  readonly companyId: string;
  readonly reason: string | null;
}

export type MetricName = Pick<Metric, 'label' | 'category'>;

export type RecordedName = Pick<ImportedMetric, keyof MetricName | 'defaultedFields'>;

export const isSet = (
  { defaultedFields }: Pick<ImportedMetric, 'defaultedFields'>,
  field: keyof MetricName,
) => defaultedFields === undefined || !defaultedFields.includes(field);

/** Merges the names from several records. Each field comes from the last record that sets this field. */
export function mergeNames(former: RecordedName | undefined, next: RecordedName): RecordedName {
  if (former === undefined || next.defaultedFields === undefined) {
    const { label, category, defaultedFields } = next;
    return { label, category, ...(defaultedFields && { defaultedFields }) };
  }
  const label = isSet(next, 'label') ? next.label : former.label;
  const category = isSet(next, 'category') ? next.category : former.category;
  return {
    label,
    category,
    defaultedFields: next.defaultedFields.filter((field) => !isSet(former, field)),
  };
}

/** A range of periods. Both ends are included. A null end means no limit. */
export interface Periods {
  readonly from: string | null;
  readonly to: string | null;
}

export interface MetricPeriod {
  readonly key: string;
  readonly period: string;
}

export interface MetricSource {
  readonly system: string;
  readonly method: string;
  readonly lastSynced: Date;
}

export type Verification = UnsignedVerification | SignedVerification;

export interface SourceVerification {
  /** True if the value was checked at its source. */
  readonly verified: boolean;
  /** The compact JWS that came with the value, unchanged. Its signer is registered for the company. */
  readonly sourceSignature?: string;
}

export interface UnsignedVerification extends SourceVerification {
  readonly signed: false;
}

export interface SignedVerification extends SourceVerification {
  readonly signed: true;
  /** A compact JWS that contains the signed fields. */
  readonly signature: string;
  readonly publicKeyUrl: string;
  readonly signedAt: Date;
  readonly revision: number;
}

const metricKeyPattern = /^[0-9A-Za-z][0-9A-Za-z_.-]{0,63}$/;

export function isMetricKey(text: string): boolean {
  return metricKeyPattern.test(text);
}
