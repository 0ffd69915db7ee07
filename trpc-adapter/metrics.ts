import {
  latestMetricsInput,
  type Metric as MetricOfCore,
  metricHistoryInput,
  metricInput,
} from '#core';
import { presentMetric } from '#http';
import { procedure, shown } from './procedures.ts';

/** The value of a metric for one period, with its source. */
export interface Metric {
  readonly companyId: string;
  readonly key: string;
  readonly label: string;
  /** ISO 4217 code. Null if the metric isn't money. */
  readonly currency: string | null;
  /** `YYYY-MM-DD`. */
  readonly period: string;
  readonly source: {
    readonly system: string;
    readonly method: string;
    /** RFC 3339. */
    readonly lastSynced: string;
  };
  readonly verification: Verification;
  readonly confidence: string;
  /** Formatted for display. Programs read rawValue. */
  readonly value: string;
  /** A plain decimal number with every digit of the source. */
  readonly rawValue: string;
  readonly category: string;
  /** The time the value is valid for, in RFC 3339. */
  readonly asOf: string;
  /** Starts at 1 and increases each time the value of the period changes. */
  readonly revision: number;
}

/** Whether the value was checked against its source, and its signature. */
export type Verification = UnsignedVerification | SignedVerification;

interface SourceVerification {
  readonly verified: boolean;
  /** A signature by a signer that the company registered: a compact JWS, unchanged. */
  readonly sourceSignature?: string;
}

interface UnsignedVerification extends SourceVerification {
  readonly signed: false;
}

interface SignedVerification extends SourceVerification {
  readonly signed: true;
  /** A compact JWS that contains the signed fields. Compare each of them with the value. */
  readonly signature: string;
  /** The address of the JSON Web Key Set with the signing key. */
  readonly publicKeyUrl: string;
  /** The signed revision. */
  readonly revision: number;
  /** RFC 3339. */
  readonly signedAt: string;
}

export const metricProcedures = {
  /**
   * Returns the latest value of every metric of a company, or of the given `keys`. Needs the scope `metrics:read` and a
   * live
   * grant.
   */
  latest: procedure
    .input(shown(latestMetricsInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases
        .readLatestMetrics(caller, input)
        .then(write.list<MetricOfCore, Metric>(presentMetric)),
    ),

  /** Returns the latest value of one metric. Needs the scope `metrics:read` and a live grant. */
  byKey: procedure
    .input(shown(metricInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases.readLatestMetric(caller, input).then(write.one<MetricOfCore, Metric>(presentMetric)),
    ),

  /**
   * Returns the values of one metric between two periods, both included, oldest first. Empty if the company has no data
   * for the key. Needs the scope `metrics:read` and a live grant.
   */
  history: procedure
    .input(shown(metricHistoryInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases
        .readMetricHistory(caller, input)
        .then(write.list<MetricOfCore, Metric>(presentMetric)),
    ),
};
