import type { FastifyReply, FastifyRequest } from 'fastify';
import { refuse, send } from './answers.ts';
import { readCalls, wantsStream } from './calls.ts';

interface ErrorHandlerOptions {
  readonly publicUrl: () => string;
  readonly maxBatch: number;
}

/**
 * Answers what refuses a request as a whole, whatever was thrown: a batch gets the refusal once for each call. One that
 * is too large, or wants a stream, gets it a single time, which tRPC's clients read as that of each call.
 */
export const createErrorHandler =
  ({ publicUrl, maxBatch }: ErrorHandlerOptions) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = refuse(error, request.id, publicUrl());
    const { isBatch, names } = readCalls(request);
    const isList = isBatch && names.length <= maxBatch && !wantsStream(request);
    return send(reply, isList ? names.map(() => refusal) : [refusal], isList);
  };
