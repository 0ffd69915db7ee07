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
  /** How many receipts there were. */
  receipts: isCount,
  last_receipt_id: orNull(isText),
  /** When: what came later it does not know. */
  issued_at: isInstant,
};

/** What the head of a list of receipts says, in version 1 of the format. */
export type HeadPayload = Formatted<typeof format> & {
  /** There was a further change, whose receipt was not signed. */
  readonly awaits_signature?: true;
};

/** What is known of the end of a chain of receipts. */
export interface Completeness {
  readonly state: /** No receipt that there was at the instant is missing. */
    | 'complete'
    /** Likewise, but for a change whose receipt was not signed then. */
    | 'awaits_signature'
    /** Likewise, and there are some that came later. Whether these are the last, nobody has said. */
    | 'more_came'
    /** Nobody has said which is the last. */
    | 'unless_more_came';
  /** The instant; null where nobody has said. */
  readonly asOf: string | null;
  /** How many of the receipts came after the instant. */
  readonly later: number;
}

/** What a chain without a head tells of its end. */
export const withoutHead: Completeness = { state: 'unless_more_came', asOf: null, later: 0 };

/** What a receipt says that a head is compared with. */
type LinkOfChain = Readonly<Record<'environment' | 'access_request_id' | 'receipt_id', string>>;

/** Checks a head against the receipts, which form a chain. That it knows fewer is no failure: it is an earlier one. */
export async function checkHead(
  head: unknown,
  receipts: readonly [LinkOfChain, ...LinkOfChain[]],
  jwks: unknown,
): Promise<Completeness> {
  const { payload } = await openJws(head, 'consent-receipts-head+jws', jwks);
  const awaits = memberOf(payload, 'awaits_signature') !== undefined;
  const said = readPayload(payload, awaits ? { ...format, awaits_signature: isTrue } : format);
  const [first] = receipts;
  if (
    said.access_request_id !== first.access_request_id ||
    said.environment !== first.environment
  ) {
    refuse('other_request', 'the head is of another access request than the receipts');
  }
  if (said.receipts > receipts.length) {
    refuse(
      'receipts_missing',
      `the newest receipts are missing: there were ${said.receipts} at ${said.issued_at}`,
    );
  }
  if (said.last_receipt_id !== (receipts[said.receipts - 1]?.receipt_id ?? null)) {
    refuse('head_differs', 'the head names another last receipt: it is of other receipts');
  }
  const later = receipts.length - said.receipts;
  // What came later shows that the change has its receipt by now.
  const state = later > 0 ? 'more_came' : awaits ? 'awaits_signature' : 'complete';
  return { state, asOf: said.issued_at, later };
}

/** For people: what is known of the end of a chain, and no more. */
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
