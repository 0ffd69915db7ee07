import { type Failure, orFailure, refuse } from './failure.ts';
import {
  type Formatted,
  isEnvironment,
  isFirstVersion,
  isInstant,
  isObject,
  isText,
  type JsonObject,
  memberOf,
  orNull,
  readPayload,
} from './json.ts';
import { openJws } from './jws.ts';
import type { JwkSet } from './keys.ts';

const isDecimal = (value: unknown): value is string =>
  isText(value) && value !== '-0' && /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/.test(value);
const isDay = (value: unknown): value is string => isInstant(`${value}T00:00:00.000Z`);
const isRevision = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0;

const format = {
  v: isFirstVersion,
  environment: isEnvironment,
  company_id: isText,
  key: isText,
  /** `YYYY-MM-DD`. */
  period: isDay,
  /**
   * Every digit: a plain decimal number without exponent or superfluous zeros. Null: the company has taken the value of
   * the period back.
   */
  raw_value: orNull(isDecimal),
  /** ISO 4217 code; null for what is not money. */
  currency: orNull(isText),
  as_of: isInstant,
  source: { system: isText, method: isText, last_synced: isInstant },
  /** 1 for the first value of the period; a changed value has the next number. */
  revision: isRevision,
  signed_at: isInstant,
};

/** What the signature of a metric says, in version 1 of the format. */
export type MetricPayload = Formatted<typeof format>;

export interface VerifiedMetric {
  readonly valid: true;
  /**
   * Whether each digit of the amount was compared. False when the metric has only a JSON number, of which `JSON.parse`
   * keeps about 16 digits: then take the amount from the payload.
   */
  readonly exact: boolean;
  /** The key that signed it. */
  readonly kid: string;
  /** What was signed. `label`, `category`, `confidence`, `value` and `verified` are not. */
  readonly payload: MetricPayload;
}

export interface VerifyOptions {
  /** The keys of a service that is trusted, from its `/.well-known/jwks.json`. */
  readonly jwks: JwkSet;
}

/**
 * Checks the signature of a metric, and each field of the metric against what was signed.
 *
 * @param metric as `JSON.parse` returns it from an answer of REST, GraphQL or tRPC, or from an export
 * @returns never rejects for what a metric or a key set holds; rejects where the runtime has no Ed25519
 */
export async function verifyMetric(
  metric: unknown,
  { jwks }: VerifyOptions,
): Promise<VerifiedMetric | Failure> {
  return orFailure(async () => {
    if (!isObject(metric)) refuse('malformed', 'this is no metric');
    const verification = memberOf(metric, 'verification');
    if (!isObject(verification)) refuse('not_signed', 'the metric has no verification');
    const signature = memberOf(verification, 'signature');
    if (memberOf(verification, 'signed') === false || signature === undefined || signature === null)
      refuse('not_signed', 'the metric is not signed');
    const { kid, payload } = await openJws(signature, 'metric+jws', jwks);
    const signed = readPayload(payload, format);
    const exact = compare(metric, verification, signed);
    return { valid: true, exact, kid, payload: signed };
  });
}

/** @returns whether each digit of the amount was compared */
function compare(metric: JsonObject, verification: JsonObject, signed: MetricPayload): boolean {
  const source = memberOf(metric, 'source');
  if (!isObject(source)) refuse('field_missing', 'the metric has no source', { field: 'source' });
  compareField(metric, ['company_id', 'companyId'], signed.company_id);
  compareField(metric, ['key'], signed.key);
  compareField(metric, ['period'], signed.period);
  // In REST what is not money has no currency; elsewhere it is null.
  if (signed.currency !== null || memberOf(metric, 'currency') !== undefined) {
    compareField(metric, ['currency'], signed.currency);
  }
  compareField(metric, ['as_of', 'asOf'], signed.as_of);
  compareField(source, ['system'], signed.source.system, 'source.');
  compareField(source, ['method'], signed.source.method, 'source.');
  compareField(source, ['last_synced', 'lastSynced'], signed.source.last_synced, 'source.');
  for (const place of [metric, verification]) {
    compareOptional(place, ['environment'], signed.environment);
    compareOptional(place, ['revision'], signed.revision);
    compareOptional(place, ['signed_at', 'signedAt'], signed.signed_at);
  }
  return compareAmount(metric, signed.raw_value);
}

/** A field goes by one name in REST and by another in GraphQL and tRPC; where both are there, both must be right. */
function compareField(
  object: JsonObject,
  names: readonly string[],
  signed: unknown,
  path = '',
): void {
  if (!compareOptional(object, names, signed, path)) {
    const field = `${path}${names[0]}`;
    refuse('field_missing', `${field} is signed, but is not there to be compared`, { field });
  }
}

/** @returns whether it is there */
function compareOptional(
  object: JsonObject,
  names: readonly string[],
  signed: unknown,
  path = '',
): boolean {
  const there = names.filter((name) => memberOf(object, name) !== undefined);
  for (const name of there) {
    if (memberOf(object, name) !== signed) differ(`${path}${name}`);
  }
  return there.length > 0;
}

const amountNames = ['raw_value_text', 'rawValueText', 'raw_value', 'rawValue'];

function compareAmount(metric: JsonObject, signed: string | null): boolean {
  let exact = false;
  let isThere = false;
  for (const name of amountNames) {
    const amount = memberOf(metric, name);
    if (amount === undefined) continue;
    const isNumber = typeof amount === 'number';
    const text = typeof amount === 'bigint' ? `${amount}` : amount;
    const isSame = isNumber ? signed !== null && amount === Number(signed) : text === signed;
    if (!isSame) differ(name);
    isThere = true;
    if (!isNumber) exact = true;
  }
  if (!isThere) {
    refuse('field_missing', 'raw_value is signed, but is not there to be compared', {
      field: 'raw_value',
    });
  }
  return exact;
}

function differ(field: string): never {
  refuse('field_differs', `${field} is not what was signed`, { field });
}
