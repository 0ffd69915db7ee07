/** Why something was not verified, for programs. */
export type FailureReason =
  /** It is no metric, or no list of receipts. */
  | 'malformed'
  /** It carries no signature. */
  | 'not_signed'
  /** The signature is no compact JWS as this format has it: its encoding, its size, its header. */
  | 'malformed_jws'
  /** Another algorithm than EdDSA. */
  | 'wrong_algorithm'
  /** Another type: a receipt in place of a metric, or something else. */
  | 'wrong_type'
  /** What was given as `jwks` is no JWK Set. */
  | 'invalid_jwks'
  /** The key set does not have the key that the signature names. */
  | 'unknown_key'
  /** The key set has different keys under the name. */
  | 'ambiguous_key'
  /** The key is no public Ed25519 key for signatures. */
  | 'unusable_key'
  /** The key did not sign this. */
  | 'bad_signature'
  /** A later format, for which a later version of this package is needed. */
  | 'unsupported_version'
  /** Signed, but not in the form that the format prescribes. */
  | 'malformed_payload'
  /** A field that is signed is not there to be compared. */
  | 'field_missing'
  /** A field differs from what was signed. */
  | 'field_differs'
  /** There is no receipt. */
  | 'no_receipts'
  /** Receipts of different access requests. */
  | 'other_request'
  /** A receipt comes twice. */
  | 'duplicate_receipt'
  /** A receipt is missing, or does not stand where it belongs. */
  | 'chain_broken'
  /** The head names more receipts than there are: the newest are missing. */
  | 'receipts_missing'
  /** The head names another last receipt. */
  | 'head_differs';

export interface Failure {
  readonly valid: false;
  readonly reason: FailureReason;
  /** The same for people. */
  readonly message: string;
  /** The field that is missing or differs, as in `source.system`. */
  readonly field?: string;
  /** The place of the receipt in the list. */
  readonly index?: number;
}

class VerificationError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

type Place = Pick<Failure, 'field' | 'index'>;

export function refuse(reason: FailureReason, message: string, place: Place = {}): never {
  throw new VerificationError({ valid: false, reason, message, ...place });
}

/** What the work returns, or the failure that it was refused with. */
export async function orFailure<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VerificationError) return error.failure;
    throw error;
  }
}

/** Does work for one receipt of a list, so that a refusal tells its place. */
export async function at<T>(index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof VerificationError) {
      throw new VerificationError({ ...error.failure, index });
    }
    throw error;
  }
}
