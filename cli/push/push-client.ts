import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

/** Where records are pushed to, and by whom. */
export interface PushTarget {
  /** The address of the service. */
  readonly url: string;
  /** Of the company. Sent to this address alone: no redirect is followed. */
  readonly companyKey: string;
  readonly signal: AbortSignal;
  /** Told before each further attempt. */
  readonly onRetry: (reason: string, milliseconds: number) => void;
}

/** What is wrong with one record, counted from 0; there may be several of one. */
export interface RefusedRecord {
  readonly record: number;
  readonly reason: string;
}

/** The service has looked at the push and taken nothing of it. */
export class RecordsRefused extends Error {
  readonly records: readonly RefusedRecord[];
  /** How many there are, also where not all of them are told. */
  readonly count: number;

  constructor(records: readonly RefusedRecord[], count: number) {
    super(`${count} bad records`);
    this.name = 'RecordsRefused';
    this.records = records;
    this.count = count;
  }
}

/** A push that was not taken, and that no further attempt would change. */
export class PushFailed extends Error {
  override readonly name = 'PushFailed';
}

export const maxPushRecords = 1_000;
export const maxPushBytes = 1_048_576;

const attempts = 10;
const shortestPause = 500;
const longestPause = 60_000;
const longestAskedPause = 300_000;
const timeoutMilliseconds = 60_000;

const counts = z.object({
  object: z.literal('data_push'),
  created: z.int(),
  revised: z.int(),
  unchanged: z.int(),
});

export type PushCounts = Omit<z.output<typeof counts>, 'object'>;

const refusal = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z
      .array(z.object({ record: z.int(), param: z.string().nullish(), message: z.string() }))
      .optional(),
    bad_records: z.int().optional(),
  }),
});

type Answer =
  | { readonly counts: PushCounts }
  | { readonly again: string; readonly afterMilliseconds: number | null };

/**
 * Pushes records, all or none of them. What passes is tried again under the same key, so that a push whose answer was
 * lost is not made twice.
 *
 * @param body newline-delimited JSON
 * @throws RecordsRefused, PushFailed, and the reason of the signal
 */
export async function push(
  target: PushTarget,
  body: string,
  idempotencyKey: string,
): Promise<PushCounts> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await attemptPush(target, body, idempotencyKey);
    if ('counts' in answer) return answer.counts;
    if (attempt === attempts) {
      throw new PushFailed(
        `${answer.again}, ${attempts} times; nothing of the push is known to be taken`,
      );
    }
    const milliseconds = answer.afterMilliseconds ?? backOff(attempt);
    target.onRetry(answer.again, milliseconds);
    await pause(milliseconds, undefined, { signal: target.signal });
  }
}

/** Programs that were refused together must not come again together. */
function backOff(attempt: number): number {
  const longest = Math.min(shortestPause * 2 ** (attempt - 1), longestPause);
  return Math.ceil(longest * (0.5 + Math.random() / 2));
}

async function attemptPush(
  { url, companyKey, signal }: PushTarget,
  body: string,
  idempotencyKey: string,
): Promise<Answer> {
  try {
    const response = await fetch(new URL('company/v1/data', `${url.replace(/\/+$/, '')}/`), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${companyKey}`,
        'content-type': 'application/x-ndjson',
        'idempotency-key': idempotencyKey,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]),
    });
    return readAnswer(response, await response.text());
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RecordsRefused || error instanceof PushFailed) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return { again: `the service cannot be reached (${reason})`, afterMilliseconds: null };
  }
}

function readAnswer({ status, headers }: Response, text: string): Answer {
  const json = parse(text);
  if (status === 200) {
    const { data } = counts.safeParse(json);
    if (data === undefined) {
      throw new PushFailed('what answers at the address takes no pushes: is it the service?');
    }
    return { counts: data };
  }
  const error = refusal.safeParse(json).data?.error;
  const told = error === undefined ? `${status}` : `${status} ${error.code}`;
  if (isPassing(status, error?.code)) {
    return {
      again: `the service answers ${told}`,
      afterMilliseconds: retryAfter(headers.get('retry-after')),
    };
  }
  if (error?.code === 'invalid_records') {
    const { details = [], bad_records: count = details.length } = error;
    throw new RecordsRefused(
      details.map(({ record, param, message }) => ({
        record,
        reason: param ? `${param}: ${message}` : message,
      })),
      count,
    );
  }
  throw new PushFailed(
    `the service answers ${told}${error === undefined ? '' : `: ${error.message}`}`,
  );
}

function isPassing(status: number, code: string | undefined): boolean {
  if (code === 'idempotency_key_in_use' || status === 408 || status === 429) return true;
  return status >= 500 && status !== 501;
}

/** Seconds, or a date; null when it is neither. */
function retryAfter(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1_000;
  if (Number.isNaN(milliseconds)) return null;
  return Math.min(Math.max(milliseconds, 0), longestAskedPause);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
