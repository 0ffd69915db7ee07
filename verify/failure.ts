/** A code for the reason of a failure. Programs can branch on it. */
export type FailureReason =
  /** The input isn't a metric, or isn't a list of receipts. */
  | 'malformed'
  /** The metric has no signature. */
  | 'not_signed'
  /** The signature isn't a compact JWS of this format: its encoding, size or header is wrong. */
  | 'malformed_jws'
  /** The algorithm isn't EdDSA. */
  | 'wrong_algorithm'
  /** The type in the header is wrong, for example because a receipt was given instead of a metric. */
  | 'wrong_type'
  /** The given `jwks` isn't a JWK Set. */
  | 'invalid_jwks'
  /** The signature names a key that isn't in the key set. */
  | 'unknown_key'
  /** The key set has several different keys with this ID. */
  | 'ambiguous_key'
  /** The key isn't a public Ed25519 key for signatures. */
  | 'unusable_key'
  /** The key didn't make this signature. */
  | 'bad_signature'
  /** The format is newer than this version of the package. */
  | 'unsupported_version'
  /** The signed payload doesn't have the required format. */
  | 'malformed_payload'
  /** A signed field is missing in the data. */
  | 'field_missing'
  /** A field differs from the signed field. */
  | 'field_differs'
  /** The list of receipts is empty. */
  | 'no_receipts'
  /** The receipts belong to different access requests. */
  | 'other_request'
  /** A receipt is repeated. */
  | 'duplicate_receipt'
  /** A receipt is missing or in the wrong position. */
  | 'chain_broken'
  /** The newest receipts are missing: the head counts more receipts than the list has. */
  | 'receipts_missing'
  /** The head names a different last receipt. */
  | 'head_differs';

export interface Failure {
  readonly valid: false;
  readonly reason: FailureReason;
  /** A sentence for people. */
  readonly message: string;
  /** The missing or different field, for example `source.system`. */
  readonly field?: string;
  /** The index of the receipt in the list. */
  readonly index?: number;
}

class VerificationError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

type FailurePlace = Pick<Failure, 'field' | 'index'>;

export function refuse(reason: FailureReason, message: string, location: FailurePlace = {}): never {
  throw new VerificationError({ valid: false, reason, message, ...location });
}

/** Returns the result of the work. If `refuse` was called in the work, returns the failure. */
export async function catchFailure<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VerificationError) return error.failure;
    throw error;
  }
}
