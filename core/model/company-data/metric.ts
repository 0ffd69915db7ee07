import type { Decimal } from './decimal.ts';

/** `cash_balance` → `Cash balance`. */
export function labelOf(key: string): string {
  const words = key.replaceAll(/[_.-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** One value of one metric for one period, with where it comes from. */
export interface Metric {
  readonly companyId: string;
  readonly key: string;
  readonly label: string;
  /** ISO 4217 code; null for what is not money. */
  readonly currency: string | null;
  /** `YYYY-MM-DD`. */
  readonly period: string;
  readonly source: MetricSource;
  readonly verification: Verification;
  readonly confidence: string;
  /** For people; rawValue is for programs. */
  readonly value: string;
  readonly rawValue: Decimal;
  readonly category: string;
  /** The time the value is valid for. */
  readonly asOf: Date;
  /** Counted from 1: how often the value of this period was given. */
  readonly revision: number;
}

/** A revision that takes the value of its period back. Every field that it shares with a metric is that of the value. */
export interface VoidedMetric extends Omit<Metric, 'value' | 'rawValue'> {
  readonly value: null;
  readonly rawValue: null;
  readonly voidReason: string | null;
}

/** An item in the list of revisions. Every other read leaves voided periods out. */
export type MetricRevision = Metric | VoidedMetric;

/** The values of one metric, oldest first; none when there is no data for it. */
export interface MetricHistory {
  readonly key: string;
  readonly values: readonly Metric[];
}

type Imported<Revision extends MetricRevision> = Omit<Revision, 'revision' | 'verification'> & {
  readonly verification: UnsignedVerification;
  /** What the record leaves out of the name, and is made up: it counts only for a metric that has no name yet. */
  readonly unsaid?: readonly (keyof MetricName)[];
};

/** A value as an import brings it; which revision it becomes shows when it is stored. */
export type ImportedMetric = Imported<Metric>;

/** A voided revision, of an export or made of a void record. */
export type ImportedVoid = Imported<VoidedMetric>;

export type ImportedRevision = ImportedMetric | ImportedVoid;

export const isImportedMetric = (metric: ImportedRevision): metric is ImportedMetric =>
  metric.rawValue !== null;

/** A value that a record takes back. */
export interface MetricVoid extends ValuePlace {
  readonly companyId: string;
  readonly reason: string | null;
}

/** What all values of a metric share. */
export type MetricName = Pick<Metric, 'label' | 'category'>;

export type SaidName = Pick<ImportedMetric, keyof MetricName | 'unsaid'>;

export const isSaid = ({ unsaid }: Pick<ImportedMetric, 'unsaid'>, field: keyof MetricName) =>
  unsaid === undefined || !unsaid.includes(field);

/** The name by several records about a metric, and nothing else of them: each field is that of the last one that says it. */
export function laterName(former: SaidName | undefined, next: SaidName): SaidName {
  if (former === undefined || next.unsaid === undefined) {
    const { label, category, unsaid } = next;
    return { label, category, ...(unsaid && { unsaid }) };
  }
  const label = isSaid(next, 'label') ? next.label : former.label;
  const category = isSaid(next, 'category') ? next.category : former.category;
  return { label, category, unsaid: next.unsaid.filter((field) => !isSaid(former, field)) };
}

/** From one period to another, both included; null: no bound. */
export interface Periods {
  readonly from: string | null;
  readonly to: string | null;
}

/** Where a value of a company is. */
export interface ValuePlace {
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
  /** Whether the value was checked against its source. */
  readonly verified: boolean;
  /** What a registered signer of the company gave with the value: a compact JWS, as it came. */
  readonly sourceSignature?: string;
}

export interface UnsignedVerification extends SourceVerification {
  readonly signed: false;
}

export interface SignedVerification extends SourceVerification {
  readonly signed: true;
  /** A compact JWS that carries what it signs. */
  readonly signature: string;
  readonly publicKeyUrl: string;
  readonly signedAt: Date;
  readonly revision: number;
}

const metricKeyPattern = /^[0-9A-Za-z][0-9A-Za-z_.-]{0,63}$/;

/** A malformed key names no metric. */
export function isMetricKey(text: string): boolean {
  return metricKeyPattern.test(text);
}
