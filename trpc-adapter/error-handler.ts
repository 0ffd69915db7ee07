import type { FastifyReply, FastifyRequest } from 'fastify';
import { readCalls } from './calls.ts';
import { fail, sendResults } from './results.ts';

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
    const result = fail(error, request, publicUrl());
    const { names, isBatch, isStream } = readCalls(request);
    const isList = isBatch && names.length <= maxBatch && !isStream;
    return sendResults(reply, isList ? names.map(() => result) : [result], isList);
  };
