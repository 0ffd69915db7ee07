import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { type CallerRefusal, logUnforeseen, ProtocolError, sendEventStream } from '#http';
import type { Context } from './context.ts';
import { presentRefusal } from './refusals.ts';

/** Sends what the protocol's own library answers. What it refuses by itself gets a code of the catalogue. */
export async function sendResponse(
  reply: FastifyReply,
  response: Response,
  context: Context,
): Promise<FastifyReply> {
  const text = await response.text();
  reply.code(response.status);
  if (text === '') return reply.send();
  reply.type('application/json; charset=utf-8');
  return reply.send(isResult(text) ? text : withCode(text, context));
}

interface LateAnswer {
  readonly answer: () => Promise<Response>;
  readonly context: Context;
  /** Aborted when the client leaves, and when the server is about to close. */
  readonly leaving: AbortController;
}

const signOfLife = ':\n\n';

/** Sends an answer that may be long in coming as the one event of a stream, with signs of life before it. */
export function sendWhenThere(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, context, leaving }: LateAnswer,
): FastifyReply {
  async function* write(): AsyncGenerator<string, undefined> {
    // It brings the headers along.
    yield signOfLife;
    const text = await (await answer()).text();
    yield `event: message\ndata: ${isResult(text) ? text : withCode(text, context)}\n\n`;
  }
  const pieces = write();
  const leave = () => leaving.abort();
  const source = { read: () => pieces.next(), cancel: leave };
  return sendEventStream(request, reply, source, { heartbeat: signOfLife, finish: leave });
}

/** What holds company data is not read once more. */
const isResult = (text: string) => text.startsWith('{"result":');

function withCode(text: string, context: Context): string {
  const { error, ...rest } = JSON.parse(text);
  if (error === undefined) return text;
  if (error.data?.nextStep !== undefined) {
    context.setOutcome(error.data.code);
    return text;
  }
  const refusal = refusalOf(error);
  context.setOutcome(refusal.code);
  logUnforeseen(context.log, refusal);
  const data = { ...error.data, ...presentRefusal(refusal, context) };
  return JSON.stringify({ ...rest, error: { ...error, message: refusal.message, data } });
}

function refusalOf(error: { readonly code: number; readonly message: string }): CallerRefusal {
  const { code, message } = error;
  if (code === -32_601) return new ProtocolError('route_not_found', { message });
  return code === -32_603
    ? new AccessError('internal_error', { cause: error })
    : new AccessError('invalid_parameter', { message });
}
