import { refuse } from './failure.ts';
import {
  allowNull,
  type Formatted,
  isEnvironment,
  isInstant,
  isOneOf,
  isText,
  readMember,
  readPayload,
} from './json.ts';
import { openJws } from './jws.ts';

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

const format = {
  v: isOneOf(1),
  environment: isEnvironment,
  access_request_id: isText,
  /** The number of receipts when the head was issued. */
  receipts: isCount,
  last_receipt_id: allowNull(isText),
  /** The time when the head was issued. Later receipts aren't counted. */
  issued_at: isInstant,
};

/** The signed payload of a receipt list's head, version 1. */
export type HeadPayload = Formatted<typeof format> & {
  /** True if one more change exists whose receipt wasn't signed yet. Otherwise absent. */
  readonly awaits_signature?: true;
};

/** Describes whether the list has the newest receipts. */
export interface Completeness {
  readonly state: /** No receipt is missing as of `asOf`. */
    | 'complete'
    /** Complete as of `asOf`, except for one change whose receipt wasn't signed yet. */
    | 'awaits_signature'
    /** Complete as of `asOf`. The list also has later receipts, and even newer ones may be missing. */
    | 'more_came'
    /** Unknown, because the list has no head. Newer receipts may be missing. */
    | 'unless_more_came';
  /** The time when the head was issued. Null if the list has no head. */
  readonly asOf: string | null;
  /** The number of receipts in the list that are later than `asOf`. */
  readonly later: number;
}

export const withoutHead: Completeness = { state: 'unless_more_came', asOf: null, later: 0 };

type ChainLink = Readonly<Record<'environment' | 'access_request_id' | 'receipt_id', string>>;

/** The chain may have receipts that are newer than the head. */
export async function checkHead(
  head: unknown,
  receipts: readonly [ChainLink, ...ChainLink[]],
  jwks: unknown,
): Promise<Completeness> {
  const { payload } = await openJws(head, 'consent-receipts-head+jws', jwks);
  const isWaiting = readMember(payload, 'awaits_signature') !== undefined;
  const headPayload = readPayload(
    payload,
    isWaiting ? { ...format, awaits_signature: isOneOf(true) } : format,
  );
  const [first] = receipts;
  if (
    headPayload.access_request_id !== first.access_request_id ||
    headPayload.environment !== first.environment
  ) {
    refuse('other_request', 'the head belongs to a different access request than the receipts');
  }
  if (headPayload.receipts > receipts.length) {
    refuse(
      'receipts_missing',
      `the newest receipts are missing: the head counts ${headPayload.receipts} at ${headPayload.issued_at}`,
    );
  }
  if (headPayload.last_receipt_id !== (receipts[headPayload.receipts - 1]?.receipt_id ?? null)) {
    refuse(
      'head_differs',
      'the head names a different last receipt, so it belongs to other receipts',
    );
  }
  const later = receipts.length - headPayload.receipts;
  // If a receipt follows the head, the change that waited for its signature now has its receipt.
  const state = later > 0 ? 'more_came' : isWaiting ? 'awaits_signature' : 'complete';
  return { state, asOf: headPayload.issued_at, later };
}

/** Describes the completeness in English, for people. */
export function describeCompleteness({ state, asOf, later }: Completeness): string {
  switch (state) {
    case 'complete':
      return `complete as of ${asOf}`;
    case 'awaits_signature':
      return `complete as of ${asOf}, except for a change whose receipt was not signed yet`;
    case 'more_came':
      return `complete as of ${asOf}; receipts since then: ${later}, and more may exist`;
    case 'unless_more_came':
      return 'complete unless newer receipts exist';
  }
}
