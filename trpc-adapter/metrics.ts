import {
  latestMetricsInput,
  type Metric as MetricOfCore,
  metricHistoryInput,
  metricInput,
} from '#core';
import { presentMetric } from '#http';
import { procedure, shown } from './procedures.ts';

/** One value of one metric for one period, with where it comes from. */
export interface Metric {
  readonly companyId: string;
  readonly key: string;
  readonly label: string;
  /** ISO 4217 code; null for what is not money. */
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
  /** For people; rawValue is for programs. */
  readonly value: string;
  /** A plain decimal number with every digit of the source. */
  readonly rawValue: string;
  readonly category: string;
  /** The time the value is valid for, in RFC 3339. */
  readonly asOf: string;
  /** Counted from 1: how often the value of this period was given. */
  readonly revision: number;
}

/** Whether the value was checked against its source, and the signature by which anybody can check it later. */
export type Verification = UnsignedVerification | SignedVerification;

interface SourceVerification {
  readonly verified: boolean;
  /** What a signer that the company has registered gave with the value: a compact JWS, as it came. */
  readonly sourceSignature?: string;
}

interface UnsignedVerification extends SourceVerification {
  readonly signed: false;
}

interface SignedVerification extends SourceVerification {
  readonly signed: true;
  /** A compact JWS that carries what it signs: compare each of its fields with the value. */
  readonly signature: string;
  /** The JSON Web Key Set with the key that the signature names. */
  readonly publicKeyUrl: string;
  /** The revision that was signed. */
  readonly revision: number;
  /** RFC 3339. */
  readonly signedAt: string;
}

export const metricProcedures = {
  /**
   * The latest value of every metric of a company, by key; with `keys`, of those alone. Needs the scope `metrics:read`
   * and a live grant.
   */
  latest: procedure
    .input(shown(latestMetricsInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases
        .readLatestMetrics(caller, input)
        .then(write.list<MetricOfCore, Metric>(presentMetric)),
    ),

  /** The latest value of one metric. Needs the scope `metrics:read` and a live grant. */
  byKey: procedure
    .input(shown(metricInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases.readLatestMetric(caller, input).then(write.one<MetricOfCore, Metric>(presentMetric)),
    ),

  /**
   * The values of one metric, oldest first, from one period to another, both included; empty when the company has no
   * data for the key. Needs the scope `metrics:read` and a live grant.
   */
  history: procedure
    .input(shown(metricHistoryInput))
    .query(({ ctx: { useCases, caller, write }, input }) =>
      useCases
        .readMetricHistory(caller, input)
        .then(write.list<MetricOfCore, Metric>(presentMetric)),
    ),
};
