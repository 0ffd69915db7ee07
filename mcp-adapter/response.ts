import type { FastifyReply } from 'fastify';
import { AccessError } from '#core';
import { logUnforeseen, ProtocolError, type Refusal } from '#http';
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

function refusalOf(error: { readonly code: number; readonly message: string }): Refusal {
  const { code, message } = error;
  if (code === -32_601) return new ProtocolError('route_not_found', { message });
  return code === -32_603
    ? new AccessError('internal_error', { cause: error })
    : new AccessError('invalid_parameter', { message });
}
