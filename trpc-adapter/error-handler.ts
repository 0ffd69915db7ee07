import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCalls } from './calls.ts';
import { fail, sendResults } from './results.ts';

interface ErrorHandlerOptions {
  readonly publicUrl: () => string;
  readonly maxBatch: number;
}

/**
 * Sends an error that rejects the whole HTTP request. A batch gets the error once per call. A batch that is too large
 * or streamed gets it only once, and tRPC's clients apply it to each call.
 */
export const createErrorHandler =
  ({ publicUrl, maxBatch }: ErrorHandlerOptions) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const result = fail(error, request, publicUrl());
    const { names, isBatch, isStream } = readCalls(request);
    const isList = isBatch && names.length <= maxBatch && !isStream;
    return sendResults(reply, isList ? names.map(() => result) : [result], isList);
  };
