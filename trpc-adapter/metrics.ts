import {
  latestMetricsInput,
  type Metric as MetricOfCore,
  metricHistoryInput,
  metricInput,
} from '#core';
import { presentMetric } from '#http';
import { procedure, showInput } from './procedures.ts';

/** The value of a metric for one period, with its source and verification. */
export interface Metric {
  /** ID of the company. */
  readonly companyId: string;
  /** Key of the metric, for example `cash_balance`. */
  readonly key: string;
  /** Display name of the metric. */
  readonly label: string;
  /** ISO 4217 code. Null if the metric isn’t money. */
  readonly currency: string | null;
  /** The date of the period, `YYYY-MM-DD`. */
  readonly period: string;
  /** The source of the value. */
  readonly source: MetricSource;
  /** Shows whether the value was checked against its source. Contains the signature of the value. */
  readonly verification: Verification;
  /** The reliability of the value, as a word such as `high`. */
  readonly confidence: string;
  /** The value, formatted for display. */
  readonly value: string;
  /** The exact value: a plain decimal with every digit of the source. */
  readonly rawValue: string;
  /** Group of the metric. */
  readonly category: string;
  /** The time the value is valid for, in RFC 3339. */
  readonly asOf: string;
  /** Starts at 1 and increases each time the value of the period changes. */
  readonly revision: number;
}

interface MetricSource {
  /** The system that the value comes from. */
  readonly system: string;
  /** How the value was obtained. */
  readonly method: string;
  /** Time of the last sync with the system, in RFC 3339. */
  readonly lastSynced: string;
}

/** Shows whether the value was checked against its source. Contains the signature of the value. */
export type Verification = UnsignedVerification | SignedVerification;

interface SourceVerification {
  /** True if the value was checked against its source. */
  readonly verified: boolean;
  /**
   * The signature of a signer that the company has registered: a compact JWS, exactly as received. Absent if none
   * exists.
   */
  readonly sourceSignature?: string;
}

interface UnsignedVerification extends SourceVerification {
  /** True if the value is signed. */
  readonly signed: false;
}

interface SignedVerification extends SourceVerification {
  /** True if the value is signed. */
  readonly signed: true;
  /**
   * A compact JWS (`metric+jws`, Ed25519) that contains the signed fields. Compare each of them with the metric. Absent
   * if `signed` is false.
   */
  readonly signature: string;
  /** The address of the JSON Web Key Set with the signing key. Absent if `signed` is false. */
  readonly publicKeyUrl: string;
  /** The signed revision. Absent if `signed` is false. */
  readonly revision: number;
  /** Time of signing, in RFC 3339. Absent if `signed` is false. */
  readonly signedAt: string;
}

export const metricProcedures = {
  /**
   * Returns the latest value of each metric of a company. With `keys`, returns only those metrics. Needs the scope
   * `metrics:read` and a live grant.
   */
  latest: procedure
    .input(showInput(latestMetricsInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases
        .readLatestMetrics(caller, input)
        .then(write.list<MetricOfCore, Metric>(presentMetric)),
    ),

  /** Returns the latest value of one metric. Needs the scope `metrics:read` and a live grant. */
  byKey: procedure
    .input(showInput(metricInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases.readLatestMetric(caller, input).then(write.one<MetricOfCore, Metric>(presentMetric)),
    ),

  /**
   * Returns the values of one metric between two periods, both included, oldest first. Returns an empty list if the
   * company has no data for the key. Needs the scope `metrics:read` and a live grant.
   */
  history: procedure
    .input(showInput(metricHistoryInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases
        .readMetricHistory(caller, input)
        .then(write.list<MetricOfCore, Metric>(presentMetric)),
    ),
};
