/** A code for the reason of a failure. Programs can branch on it. */
export type FailureReason =
  /** The input isn't a metric, or isn't a list of receipts. */
  | 'malformed'
  /** The metric has no signature. */
  | 'not_signed'
  /** The signature isn't a valid compact JWS: its encoding, size or header is wrong. */
  | 'malformed_jws'
  /** The algorithm isn't EdDSA. */
  | 'wrong_algorithm'
  /** The type in the header is wrong, for example if a receipt was given instead of a metric. */
  | 'wrong_type'
  /** The given `jwks` isn't a JWK Set. */
  | 'invalid_jwks'
  /** The key set doesn't have the key that the signature names. */
  | 'unknown_key'
  /** The key set has several different keys with this ID. */
  | 'ambiguous_key'
  /** The key isn't a public Ed25519 key for signatures. */
  | 'unusable_key'
  /** The signature doesn't match the signed content and the key. */
  | 'bad_signature'
  /** The format is newer than this version of the verifier. */
  | 'unsupported_version'
  /** The signed payload doesn't have the required format. */
  | 'malformed_payload'
  /** The data lacks a field that is signed. */
  | 'field_missing'
  /** A field of the data differs from its signed value. */
  | 'field_differs'
  /** The list of receipts is empty. */
  | 'no_receipts'
  /** The receipts belong to different access requests. */
  | 'other_request'
  /** A receipt is repeated. */
  | 'duplicate_receipt'
  /** A receipt of the chain is missing or in the wrong position. */
  | 'chain_broken'
  /** The newest receipts are missing: the head of the list counts more receipts than the list has. */
  | 'receipts_missing'
  /** The last receipt of the list isn't the one that the head names. */
  | 'head_differs';

export interface Failure {
  readonly valid: false;
  readonly reason: FailureReason;
  /** A sentence that explains the failure to people. */
  readonly message: string;
  /** The name of the missing or different field, for example `source.system`. */
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

/** Returns the result of the work, or the failure if the work called `refuse`. */
export async function catchFailure<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VerificationError) return error.failure;
    throw error;
  }
}
