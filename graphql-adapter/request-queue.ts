import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { KeyedSemaphore } from './keyed-semaphore.ts';

/** Requests of one key that are answered at a time, and that wait for it. */
const requestsAtOnce = 2;
const requestsWaiting = 100;

/** An answer that is longer counts as under way until its reader has taken it. */
const longAnswerBytes = 256 * 1024;

/** Answers a few requests of a key at a time; the others wait, and hold nothing but their bodies meanwhile. */
export class RequestQueue {
  readonly #requests = new KeyedSemaphore(requestsAtOnce);

  /** @throws AccessError `rate_limit_exceeded` when too many wait already */
  async answer(
    { caller, rateLimit }: FastifyRequest,
    reply: FastifyReply,
    write: () => Promise<Buffer>,
  ): Promise<FastifyReply> {
    const keyId = caller?.keyId ?? '';
    if (this.#requests.waiting(keyId) >= requestsWaiting) {
      throw new AccessError('rate_limit_exceeded', {
        message: `More than ${requestsWaiting} GraphQL requests of this API key wait to be answered.`,
        ...(rateLimit && { retryAfterSeconds: rateLimit.resetSeconds }),
      });
    }
    const sent = Promise.withResolvers<void>();
    this.#requests
      .within(keyId, async () => {
        const body = await write();
        reply.send(body);
        sent.resolve();
        if (body.length > longAnswerBytes) await finished(reply.raw).catch(() => undefined);
      })
      .catch(sent.reject);
    await sent.promise;
    return reply;
  }
}
