import { refuse } from './failure.ts';
import {
  type Formatted,
  isEnvironment,
  isFirstVersion,
  isInstant,
  isText,
  memberOf,
  orNull,
  readPayload,
} from './json.ts';
import { openJws } from './jws.ts';

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
const isTrue = (value: unknown): value is true => value === true;

const format = {
  v: isFirstVersion,
  environment: isEnvironment,
  access_request_id: isText,
  /** The number of receipts. */
  receipts: isCount,
  last_receipt_id: orNull(isText),
  /** The time of the head. It doesn't cover later receipts. */
  issued_at: isInstant,
};

/** The payload of a receipt list's head, version 1. */
export type HeadPayload = Formatted<typeof format> & {
  /** A further change existed whose receipt wasn't signed yet. */
  readonly awaits_signature?: true;
};

/** The known facts about the end of a receipt chain. */
export interface Completeness {
  readonly state: /** No receipt that there was at the instant is missing. */
    | 'complete'
    /** Complete at that time, except for a change whose receipt wasn't signed yet. */
    | 'awaits_signature'
    /** Complete at that time. Later receipts follow, and it is unknown whether these are the last. */
    | 'more_came'
    /** It is unknown whether newer receipts exist. */
    | 'unless_more_came';
  /** The time of the head. Null without one. */
  readonly asOf: string | null;
  /** The number of receipts after that time. */
  readonly later: number;
}

/** The result for a chain without a head. */
export const withoutHead: Completeness = { state: 'unless_more_came', asOf: null, later: 0 };

/** The fields of a receipt that are compared with the head. */
type LinkOfChain = Readonly<Record<'environment' | 'access_request_id' | 'receipt_id', string>>;

/** Checks a head against a chain of receipts. A head with fewer receipts isn't a failure: it is older. */
export async function checkHead(
  head: unknown,
  receipts: readonly [LinkOfChain, ...LinkOfChain[]],
  jwks: unknown,
): Promise<Completeness> {
  const { payload } = await openJws(head, 'consent-receipts-head+jws', jwks);
  const awaits = memberOf(payload, 'awaits_signature') !== undefined;
  const headPayload = readPayload(
    payload,
    awaits ? { ...format, awaits_signature: isTrue } : format,
  );
  const [first] = receipts;
  if (
    headPayload.access_request_id !== first.access_request_id ||
    headPayload.environment !== first.environment
  ) {
    refuse('other_request', 'the head is of another access request than the receipts');
  }
  if (headPayload.receipts > receipts.length) {
    refuse(
      'receipts_missing',
      `the newest receipts are missing: there were ${headPayload.receipts} at ${headPayload.issued_at}`,
    );
  }
  if (headPayload.last_receipt_id !== (receipts[headPayload.receipts - 1]?.receipt_id ?? null)) {
    refuse('head_differs', 'the head names another last receipt: it is of other receipts');
  }
  const later = receipts.length - headPayload.receipts;
  // Later receipts show that the change has its receipt by now.
  const state = later > 0 ? 'more_came' : awaits ? 'awaits_signature' : 'complete';
  return { state, asOf: headPayload.issued_at, later };
}

/** Describes for people what is known about the end of a chain. */
export function describeCompleteness({ state, asOf, later }: Completeness): string {
  switch (state) {
    case 'complete':
      return `complete as of ${asOf}`;
    case 'awaits_signature':
      return `complete as of ${asOf}, but for a change whose receipt was not signed yet`;
    case 'more_came':
      return `complete as of ${asOf}, with ${later} that came later; complete unless more came`;
    case 'unless_more_came':
      return 'complete unless more came';
  }
}
