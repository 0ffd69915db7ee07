import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { type CallerRefusal, logIfInternalError, ProtocolError, sendEventStream } from '#http';
import { maxWaitSeconds } from './arguments.ts';
import type { Context } from './context.ts';
import { presentRefusal } from './refusals.ts';

/** If the library itself caused an error, adds one of our error codes. */
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
  readonly leaving: AbortController;
}

const signOfLife = ':\n\n';

const progressMilliseconds = 5_000;

type ProgressToken = string | number;

function progressTokenOf(body: unknown): ProgressToken | undefined {
  const { params } = body as { params?: { _meta?: { progressToken?: unknown } } };
  const token = params?._meta?.progressToken;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

function progressEvent(progressToken: ProgressToken, progress: number): string {
  const message = 'Waiting for the company’s decision.';
  const params = { progressToken, progress, total: maxWaitSeconds, message };
  const notification = { jsonrpc: '2.0', method: 'notifications/progress', params };
  return `event: message\ndata: ${JSON.stringify(notification)}\n\n`;
}

/** Work that ends with an error is done, too. The caller then awaits the work and gets that error. */
async function isDoneWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, milliseconds, false);
  const done = work.then(
    () => true,
    () => true,
  );
  return Promise.race([done, late.promise]).finally(() => clearTimeout(timer));
}

/** Until the response is ready, the stream contains heartbeats and progress reports. The response is its last event. */
export function sendWhenReady(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, context, leaving }: LateAnswer,
): FastifyReply {
  const token = progressTokenOf(request.body);
  async function* write(): AsyncGenerator<string, undefined> {
    // Node sends the headers only with the first chunk, so this chunk is sent at once.
    yield signOfLife;
    const responseText = answer().then((response) => response.text());
    const startedAt = performance.now();
    while (token !== undefined) {
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      yield progressEvent(token, seconds);
      if (await isDoneWithin(responseText, progressMilliseconds)) break;
    }
    const text = await responseText;
    yield `event: message\ndata: ${isResult(text) ? text : withCode(text, context)}\n\n`;
  }
  const pieces = write();
  const leave = () => leaving.abort();
  const source = { read: () => pieces.next(), cancel: leave };
  return sendEventStream(request, reply, source, { heartbeat: signOfLife, finish: leave });
}

/** Results can be long, so this check avoids parsing the text again. */
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
  logIfInternalError(context.log, refusal);
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
