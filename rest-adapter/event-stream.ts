import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Events, FeedEvent } from '#core';
import { type EventStreamSource, errorEnvelope, logIfInternalError, refusalOf } from '#http';

/** `present` converts an event to the format of the API's event list. */
export interface EventAnswer extends Events {
  present(event: FeedEvent): { readonly id: string; readonly type: string };
}

const maxEventsPerPiece = 50;

/** The delay before a browser reconnects, in milliseconds. */
const retryMilliseconds = 2_000;

export const streamDescription =
  'With `Accept: text/event-stream`, the response is a stream of events. The stream starts now, or after the event that `after` or the header `Last-Event-ID` names. In each message, `id:` is the ID of the event, `event:` is its type, and `data:` is the event. After each 15 seconds without an event, the service sends a comment. If the key no longer works, the last event is an `error`.';

export const heartbeat = ': heartbeat\n\n';

export function wantsEvents(request: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  const types = ['application/json', 'text/event-stream'];
  return request.method === 'GET' && new Negotiator(request).mediaType(types) === types[1];
}

/** The header has priority over the parameter `after`, because a browser reconnects with the old URL. */
export function lastEventOf<Input extends object>(
  input: Input,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Input {
  const last = headers['last-event-id'];
  return last === undefined || last === '' ? input : { ...input, after: String(last) };
}

/** If an error occurs, the last event contains the error. */
export function toEventStream(
  { after, events, present }: EventAnswer,
  { id: requestId, log }: Pick<FastifyRequest, 'id' | 'log'>,
  publicUrl: string,
): EventStreamSource {
  let hasStarted = false;
  return {
    ready: async () => (hasStarted ? events.ready() : undefined),
    async read() {
      if (!hasStarted) {
        hasStarted = true;
        // This block has no data: the browser stores the ID but fires no event.
        return { done: false, value: `retry: ${retryMilliseconds}\nid: ${after}\n\n` };
      }
      try {
        const some = await events.nextEvents(maxEventsPerPiece);
        if (some.length === 0) return { done: true };
        return { done: false, value: some.map((event) => blockOf(event, present)).join('') };
      } catch (error) {
        const refusal = refusalOf(error);
        logIfInternalError(log, refusal);
        return { done: false, value: block('error', errorEnvelope(refusal, requestId, publicUrl)) };
      }
    },
    cancel: () => events.return?.(),
  };
}

/** All streams of an API can send the same text, so each event is written only once per API. */
const blocks = new WeakMap<EventAnswer['present'], WeakMap<FeedEvent, string>>();

function blockOf(event: FeedEvent, present: EventAnswer['present']): string {
  const made = blocks.getOrInsertComputed(present, () => new WeakMap<FeedEvent, string>());
  return made.getOrInsertComputed(event, () => {
    const presented = present(event);
    return block(presented.type, presented, presented.id);
  });
}

function block(event: string, data: object, id?: string): string {
  const name = id === undefined ? '' : `id: ${id}\n`;
  return `${name}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
