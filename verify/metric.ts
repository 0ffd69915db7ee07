import { catchFailure, type Failure, refuse } from './failure.ts';
import {
  allowNull,
  type Formatted,
  isDay,
  isEnvironment,
  isInstant,
  isObject,
  isOneOf,
  isText,
  type JsonObject,
  readMember,
  readPayload,
} from './json.ts';
import { openJws } from './jws.ts';
import type { JwkSet } from './keys.ts';

const isDecimal = (value: unknown): value is string =>
  isText(value) && value !== '-0' && /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/.test(value);
const isRevision = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0;

const format = {
  v: isOneOf(1),
  environment: isEnvironment,
  company_id: isText,
  key: isText,
  /** The date of the period, `YYYY-MM-DD`. */
  period: isDay,
  /** A plain decimal without an exponent or unnecessary zeros. Null if the company voided the value. */
  raw_value: allowNull(isDecimal),
  /** ISO 4217 code. Null if the metric isn't money. */
  currency: allowNull(isText),
  as_of: isInstant,
  source: { system: isText, method: isText, last_synced: isInstant },
  /** The number of the revision: 1 for the first value of the period, then one more for each changed value. */
  revision: isRevision,
  signed_at: isInstant,
};

/** The signed payload of a metric, version 1. */
export type MetricPayload = Formatted<typeof format>;

export interface VerifiedMetric {
  readonly valid: true;
  /**
   * True if all digits of the amount were compared. False if the metric has the amount only as a JSON number, because
   * `JSON.parse` keeps about 16 digits. In that case, use the amount of the payload.
   */
  readonly exact: boolean;
  /** The ID of the signing key. */
  readonly kid: string;
  /**
   * The signed payload. These fields of a metric aren't signed: `label`, `category`, `confidence`, `value` and
   * `verified`.
   */
  readonly payload: MetricPayload;
}

export interface VerifyOptions {
  /** The keys of a service that you trust, from its `/.well-known/jwks.json`. */
  readonly jwks: JwkSet;
}

/**
 * Verifies the signature of a metric, and compares each field with its signed value. The promise rejects only if the
 * runtime doesn't support Ed25519.
 *
 * @param metric as `JSON.parse` returns it from REST, GraphQL, tRPC or an export
 */
export async function verifyMetric(
  metric: unknown,
  { jwks }: VerifyOptions,
): Promise<VerifiedMetric | Failure> {
  return catchFailure(async () => {
    if (!isObject(metric)) refuse('malformed', 'the input isn’t a metric');
    const verification = readMember(metric, 'verification');
    if (!isObject(verification)) refuse('not_signed', 'the metric has no verification');
    const signature = readMember(verification, 'signature');
    if (
      readMember(verification, 'signed') === false ||
      signature === undefined ||
      signature === null
    )
      refuse('not_signed', 'the metric isn’t signed');
    const { kid, payload } = await openJws(signature, 'metric+jws', jwks);
    const signed = readPayload(payload, format);
    const exact = compare(metric, verification, signed);
    return { valid: true, exact, kid, payload: signed };
  });
}

/** @returns true if all digits of the amount were compared */
function compare(metric: JsonObject, verification: JsonObject, signed: MetricPayload): boolean {
  const source = readMember(metric, 'source');
  if (!isObject(source)) refuse('field_missing', 'the metric has no source', { field: 'source' });
  compareField(metric, ['company_id', 'companyId'], signed.company_id);
  compareField(metric, ['key'], signed.key);
  compareField(metric, ['period'], signed.period);
  // If a metric has no currency, REST omits the field and other protocols return null.
  if (signed.currency !== null || readMember(metric, 'currency') !== undefined) {
    compareField(metric, ['currency'], signed.currency);
  }
  compareField(metric, ['as_of', 'asOf'], signed.as_of);
  compareField(source, ['system'], signed.source.system, 'source.');
  compareField(source, ['method'], signed.source.method, 'source.');
  compareField(source, ['last_synced', 'lastSynced'], signed.source.last_synced, 'source.');
  for (const part of [metric, verification]) {
    compareOptional(part, ['environment'], signed.environment);
    compareOptional(part, ['revision'], signed.revision);
    compareOptional(part, ['signed_at', 'signedAt'], signed.signed_at);
  }
  return compareAmount(metric, signed.raw_value);
}

/** A field can have one name in REST, and another in GraphQL and tRPC. If both are present, both values must match. */
function compareField(
  object: JsonObject,
  names: readonly string[],
  signed: unknown,
  path = '',
): void {
  if (!compareOptional(object, names, signed, path)) {
    const field = `${path}${names[0]}`;
    refuse('field_missing', `the signed field ${field} is missing in the metric`, { field });
  }
}

/** @returns true if the field is present */
function compareOptional(
  object: JsonObject,
  names: readonly string[],
  signed: unknown,
  path = '',
): boolean {
  const present = names.filter((name) => readMember(object, name) !== undefined);
  for (const name of present) {
    if (readMember(object, name) !== signed) refuseDifference(`${path}${name}`);
  }
  return present.length > 0;
}

const amountNames = ['raw_value_text', 'rawValueText', 'raw_value', 'rawValue'];

function compareAmount(metric: JsonObject, signed: string | null): boolean {
  let exact = false;
  let isPresent = false;
  for (const name of amountNames) {
    const amount = readMember(metric, name);
    if (amount === undefined) continue;
    const isNumber = typeof amount === 'number';
    const text = typeof amount === 'bigint' ? `${amount}` : amount;
    const isSame = isNumber ? signed !== null && amount === Number(signed) : text === signed;
    if (!isSame) refuseDifference(name);
    isPresent = true;
    if (!isNumber) exact = true;
  }
  if (!isPresent) {
    refuse('field_missing', 'the signed field raw_value is missing in the metric', {
      field: 'raw_value',
    });
  }
  return exact;
}

function refuseDifference(field: string): never {
  refuse('field_differs', `${field} differs from the signed value`, { field });
}
