import {
  type Metric,
  type MetricRevision,
  metricHeader,
  type SigningContext,
  type SourceVerification,
  StoredSignature,
  type Verification,
  type VersionedCompany,
} from '#core';
import { type Row, snakeCase, sql } from '../connections/store.ts';
import { MetricPointEntity } from '../entities/company-data.ts';
import { toDecimal } from './rows.ts';

export interface PointRow
  extends Pick<Row<'metric_series'>, 'label' | 'category'>,
    Omit<
      Row<'metric_point'>,
      | 'seriesId'
      | 'lastSynced'
      | 'signedAt'
      | 'value'
      | 'rawValue'
      | 'voidReason'
      | 'settingsChangeId'
    > {
  readonly value: string;
  readonly rawValue: string;
  /** Kept as text, because text can be compared quickly. */
  readonly lastSynced: string;
  readonly signedAt: string | null;
}

export interface RevisionRow
  extends Omit<PointRow, 'value' | 'rawValue'>,
    Pick<Row<'metric_point'>, 'value' | 'rawValue' | 'voidReason'> {}

type MetricName = Pick<Metric, 'companyId' | 'key'>;

export const pointColumns = sql`series.label, series.category, point.currency, point.period,
  point.raw_value as "rawValue", point.value, point.as_of as "asOf", point.confidence,
  point.source_system as "sourceSystem", point.source_method as "sourceMethod",
  point.last_synced::text as "lastSynced", point.verified,
  point.source_signature as "sourceSignature", point.revision, point.signed_at::text as "signedAt",
  point.signature, point.signing_key as "signingKey"`;

export const revisionPointColumns = sql`${pointColumns}, point.void_reason as "voidReason"`;

/** Excludes voided values. Only reads of revisions return voided values. */
export const isNotVoided = sql`raw_value is not null`;

/** The columns of metric_point and metric_revision, in the same order for a union. */
export const revisionColumns = sql.raw(
  Object.keys(MetricPointEntity.properties).map(snakeCase).join(', '),
);

interface SignedCompany extends Pick<VersionedCompany, 'environment' | 'publicKeyUrl'> {
  readonly kids: ReadonlyMap<number, string>;
}

/** Converts rows to metrics. The rows must not contain voided values. */
export const toMetrics = <Found extends PointRow>(
  rows: readonly Found[],
  nameOf: (row: Found) => MetricName,
  company: SignedCompany,
): Metric[] => toRevisions(rows, nameOf, company) as Metric[];

/** There may be thousands of rows, so consecutive rows of one sync share one source object. */
export function toRevisions<Found extends PointRow | RevisionRow>(
  rows: readonly Found[],
  nameOf: (row: Found) => MetricName,
  company: SignedCompany,
): MetricRevision[] {
  const contexts = new Map<number, SigningContext>();
  const contextOf = (key: number) =>
    contexts.getOrInsertComputed(key, (key) => toContext(key, company));
  let previous: Found | undefined;
  let source: Metric['source'] | undefined;
  let signedAt: Date | undefined;
  return rows.map((row) => {
    if (previous === undefined || source === undefined || !isOneSource(previous, row)) {
      source = {
        system: row.sourceSystem,
        method: row.sourceMethod,
        lastSynced: new Date(row.lastSynced),
      };
    }
    if (signedAt === undefined || previous?.signedAt !== row.signedAt) {
      signedAt = new Date(row.signedAt ?? 0);
    }
    previous = row;
    return toRevision(row, nameOf(row), source, signedAt, contextOf);
  });
}

function toContext(
  key: number,
  { kids, environment, publicKeyUrl }: SignedCompany,
): SigningContext {
  const kid = kids.get(key);
  if (kid === undefined) throw new Error(`there is no signing key ${key}`);
  return { environment, header: metricHeader(kid), publicKeyUrl };
}

const isOneSource = (one: PointRow | RevisionRow, other: PointRow | RevisionRow): boolean =>
  one.lastSynced === other.lastSynced &&
  one.sourceSystem === other.sourceSystem &&
  one.sourceMethod === other.sourceMethod;

const unsigned = {
  verified: { verified: true, signed: false },
  unverified: { verified: false, signed: false },
} as const;

type AnyMetric = Omit<MetricRevision, 'value' | 'rawValue' | 'verification'> & {
  verification: Verification;
  readonly value: string | null;
  readonly rawValue: MetricRevision['rawValue'];
  voidReason?: string | null;
};

function toRevision(
  row: PointRow | RevisionRow,
  { companyId, key }: MetricName,
  source: Metric['source'],
  signedAt: Date,
  contextOf: (key: number) => SigningContext,
): MetricRevision {
  const { verified, sourceSignature, signature, signingKey } = row;
  const metric: AnyMetric = {
    companyId,
    key,
    label: row.label,
    currency: row.currency,
    period: row.period,
    source,
    verification: verified ? unsigned.verified : unsigned.unverified,
    confidence: row.confidence,
    value: row.value,
    rawValue: row.rawValue === null ? null : toDecimal(row.rawValue),
    category: row.category,
    asOf: row.asOf,
    revision: row.revision,
  };
  if ('voidReason' in row && row.rawValue === null) metric.voidReason = row.voidReason;
  const ofSource: SourceVerification =
    sourceSignature === null ? metric.verification : { verified, sourceSignature };
  if (signature !== null && signingKey !== null) {
    const stored = { signedAt, signature };
    metric.verification = new StoredSignature(metric, ofSource, stored, contextOf(signingKey));
  } else if (sourceSignature !== null) {
    metric.verification = { ...ofSource, signed: false };
  }
  return metric as MetricRevision;
}
