import type { FastifyReply } from 'fastify';
import { type Refusal, setRefusal, statusOf, toBody } from '#http';
import { presentError, refusalOf } from './errors.ts';
import { isReading, type Reading } from './reading.ts';

/** What became of one call. */
export interface Answer {
  readonly json: readonly (string | Buffer)[];
  readonly refusal: Refusal | null;
}

/** What a procedure returned. */
export function answer(result: object): Answer {
  const text = isReading(result) ? textOf(result) : JSON.stringify(result);
  return { json: ['{"result":{"data":', text, '}}'], refusal: null };
}

const texts = new WeakMap<object, Buffer>();

/** Data that was read never changes, so its text is made once for as long as the same object lives. */
function textOf(reading: Reading<unknown>): Buffer {
  const known = texts.get(reading.data);
  if (known !== undefined) return known;
  const json = JSON.stringify(reading);
  // In memory of its own: what Node takes from its pool would keep its neighbours there as well.
  const text = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  text.write(json);
  texts.set(reading.data, text);
  return text;
}

/** A refusal in tRPC's form, whatever was thrown. */
export function refuse(error: unknown, requestId: string, publicUrl: string): Answer {
  const refusal = refusalOf(error);
  return {
    json: [JSON.stringify({ error: presentError(refusal, requestId, publicUrl) })],
    refusal,
  };
}

/**
 * Sends one answer, or those of a batch as a list, with the status 207 when they differ in it. However many calls fail in
 * an unforeseen way, one line is logged: the first cause, and how many there are.
 */
export function send(
  reply: FastifyReply,
  answers: readonly Answer[],
  isBatch: boolean,
): FastifyReply {
  const refusals = answers.flatMap(({ refusal }) => refusal ?? []);
  const unforeseen = refusals.filter(({ code }) => code === 'internal_error');
  const [first] = unforeseen;
  if (first) reply.log.error({ err: first.cause, count: unforeseen.length }, 'unforeseen');

  const statuses = new Set(answers.map(({ refusal }) => refusal && statusOf[refusal.code]));
  if (statuses.size > 1) reply.code(207);
  else if (refusals[0]) setRefusal(reply, refusals[0]);
  const list = answers.flatMap(({ json }, index) => (index === 0 ? json : [',', ...json]));
  reply.type('application/json; charset=utf-8');
  return reply.send(toBody(reply, isBatch ? ['[', ...list, ']'] : list));
}
