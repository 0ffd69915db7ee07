import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { EventLoopThrottle } from './event-loop-throttle.ts';
import { actsFor } from './request.ts';

/** Where the pieces of an event stream come from; a reader of the web's streams is one. */
export interface EventStreamSource {
  /**
   * Resolves when there is something to read; absent: nobody knows before it is read. What is read is then no older than
   * the turn in which it is sent, and includes what came while the turn was waited for.
   */
  ready?(): Promise<void>;
  read(): Promise<{ readonly done?: boolean; readonly value?: Uint8Array | string | undefined }>;
  /** Ends the source at once, also while a piece is waited for. */
  cancel(): unknown;
}

export interface EventStreamOptions {
  /** What is sent from time to time when the source itself sends no sign of life. */
  readonly heartbeat?: string;
  /** In which form the source has the events, when they are no server-sent ones. */
  readonly contentType?: string;
  /** Lets the source come to its end soon, with a last piece, when the server is about to close; else it is cut off. */
  readonly finish?: () => void;
}

/** No proxy and no time-out may take a stream without events for dead. */
export const heartbeatMilliseconds = 15_000;

/**
 * Pieces that all streams send in a turn of so many milliseconds. Many streams that are told of much send fewer and longer
 * pieces then, and leave most of the event loop to others.
 */
const piecesPerTurn = 40;
const turnMilliseconds = 10;

/** The event streams that a server has open. */
class EventStreams {
  readonly pieces = new EventLoopThrottle(piecesPerTurn, turnMilliseconds);
  readonly #bodies = new Map<PassThrough, (() => void) | undefined>();
  #isClosing = false;

  /** @throws AccessError `service_unavailable` when the server is about to close */
  add(body: PassThrough, finish?: () => void): void {
    if (this.#isClosing) throw new AccessError('service_unavailable');
    this.#bodies.set(body, finish);
    body.once('close', () => this.#bodies.delete(body));
  }

  /**
   * Ends them, without a last word unless the source has one, so that clients come again, elsewhere, with the last event
   * that they have.
   */
  endAll(): void {
    this.#isClosing = true;
    for (const [body, finish] of this.#bodies) {
      // Nobody waits for a client that takes nothing.
      if (body.writableNeedDrain) body.destroy();
      else if (finish) finish();
      else body.end();
    }
  }
}

/** The answers that are event streams, in whatever form. */
const eventStreams = new WeakSet<FastifyReply>();

const streamsOf = new WeakMap<FastifyInstance['server'], EventStreams>();

/** Lets the app end its event streams when it is told to close, instead of waiting for them. */
export function trackEventStreams(app: FastifyInstance): void {
  const streams = new EventStreams();
  streamsOf.set(app.server, streams);
  app.addHook('preClose', async () => streams.endAll());
}

/**
 * Answers with events, for as long as the client stays. What the client does not take is not asked from the source, and
 * the answer holds none of the permits of its caller.
 */
export function sendEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  source: EventStreamSource,
  { heartbeat, contentType = 'text/event-stream', finish }: EventStreamOptions = {},
): FastifyReply {
  const body = new PassThrough();
  body.once('close', () => source.cancel());
  const streams = streamsOf.get(request.server.server);
  try {
    streams?.add(body, finish);
  } catch (error) {
    body.destroy();
    throw error;
  }
  const leave = () => body.destroy();
  reply.raw.once('close', leave);
  if (reply.raw.closed) leave();
  request.releasePermits?.();
  if (heartbeat !== undefined) beat(body, heartbeat);
  void pump(source, body, async () => streams?.pieces.begin(1, ownerOf(request)));
  eventStreams.add(reply);
  return reply
    .headers({
      'content-type': contentType,
      'cache-control': 'no-store, no-transform',
      // A proxy would keep events until it has enough of them.
      'x-accel-buffering': 'no',
    })
    .send(body);
}

/** Tells the client after which event its stream begins, so that it misses none when it comes again before the first. */
export function setFirstEvent(reply: FastifyReply, after: string): FastifyReply {
  return reply.header('svc-last-event-id', after);
}

export function isEventStream(reply: FastifyReply): boolean {
  return eventStreams.has(reply);
}

function beat(body: PassThrough, heartbeat: string): void {
  const timer = setInterval(() => {
    if (!body.writableNeedDrain && body.writable) body.write(heartbeat);
  }, heartbeatMilliseconds);
  body.once('close', () => clearInterval(timer));
}

/** @param nextTurn resolves when the next piece may be sent */
async function pump(
  source: EventStreamSource,
  body: PassThrough,
  nextTurn: () => Promise<void>,
): Promise<void> {
  try {
    for (;;) {
      if (source.ready) {
        await source.ready();
        await nextTurn();
      }
      const { done, value } = await source.read();
      if (done || !body.writable) break;
      if (!source.ready) await nextTurn();
      if (!body.write(value)) await hasRoom(body);
    }
    body.end();
  } catch (error) {
    body.destroy(error as Error);
  }
}

/** Whose streams take turns with those of others. */
function ownerOf(request: FastifyRequest): string {
  const { investorId, companyId } = actsFor(request);
  return investorId ?? companyId ?? request.caller?.credentialId ?? '';
}

/** Resolves when the client has taken something, or has gone. */
function hasRoom(body: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      body.off('drain', done).off('close', done);
      resolve();
    };
    body.once('drain', done).once('close', done);
  });
}
