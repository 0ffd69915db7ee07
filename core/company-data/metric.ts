import type { Decimal } from './decimal.ts';

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
}

/** From one period to another, both included; null: no bound. */
export interface Periods {
  readonly from: string | null;
  readonly to: string | null;
}

export interface MetricSource {
  readonly system: string;
  readonly method: string;
  readonly lastSynced: Date;
}

export type Verification =
  | { readonly verified: boolean; readonly signed: false }
  | {
      readonly verified: boolean;
      readonly signed: true;
      readonly signature: string;
      readonly publicKeyUrl: string;
    };

const metricKeyPattern = /^[0-9A-Za-z][0-9A-Za-z_.-]{0,63}$/;

/** A key of another form names no metric. */
export function isMetricKey(text: string): boolean {
  return metricKeyPattern.test(text);
}
