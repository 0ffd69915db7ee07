import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { eventLoopThrottle, limits } from './limits/index.ts';
import { organisationIdsOf } from './request.ts';

/** Supplies the pieces that an event stream sends. The reader of a web stream also implements this interface. */
export interface EventStreamSource {
  /**
   * Resolves when a piece is ready. The stream then waits until the event loop has time, and only then reads the piece.
   * So the piece is never outdated. Without this method, the stream reads first and then waits.
   */
  ready?(): Promise<void>;
  read(): Promise<{ readonly done?: boolean; readonly value?: Uint8Array | string | undefined }>;
  /** Closes the source at once, even during a read. */
  cancel(): unknown;
}

export interface EventStreamOptions {
  /** The text that is sent periodically. Absent if the source sends heartbeats itself. */
  readonly heartbeat?: string;
  /** The default is `text/event-stream`. */
  readonly contentType?: string;
  /** Called when the server closes. Should send a last piece and close. Default: the stream closes at once. */
  readonly finish?: () => void;
}

/** Must be shorter than the idle timeouts of proxies. */
export const heartbeatMilliseconds = 15_000;

class EventStreams {
  readonly #bodies = new Map<PassThrough, (() => void) | undefined>();
  #isClosing = false;

  /** @throws AccessError `service_unavailable` if the server is closing */
  add(body: PassThrough, finish?: () => void): void {
    if (this.#isClosing) {
      body.destroy();
      throw new AccessError('service_unavailable');
    }
    this.#bodies.set(body, finish);
    body.once('close', () => this.#bodies.delete(body));
  }

  /** Closes all streams. The clients reconnect to another process and continue after their last event. */
  closeAll(): void {
    this.#isClosing = true;
    for (const [body, finish] of this.#bodies) {
      // Cuts off a client that doesn't read, because this client would delay the stop of the server.
      if (body.writableNeedDrain) body.destroy();
      else if (finish) finish();
      else body.end();
    }
  }
}

const eventStreams = new WeakSet<FastifyReply>();

const streamsOf = new WeakMap<FastifyInstance['server'], EventStreams>();

/** Closes the app's event streams when the app closes. Otherwise Fastify would wait for them. */
export function trackEventStreams(app: FastifyInstance): void {
  const streams = new EventStreams();
  streamsOf.set(app.server, streams);
  app.addHook('preClose', async () => streams.closeAll());
}

/**
 * Sends events until the source closes or the client disconnects. Reads the next event only when the client has read
 * the previous one. Releases the caller's permits at the start.
 */
export function sendEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  source: EventStreamSource,
  { heartbeat, contentType = 'text/event-stream', finish }: EventStreamOptions = {},
): FastifyReply {
  const body = new PassThrough();
  body.once('close', () => source.cancel());
  streamsOf.get(request.server.server)?.add(body, finish);
  const leave = () => body.destroy();
  reply.raw.once('close', leave);
  if (reply.raw.closed) leave();
  request.releasePermits?.();
  if (heartbeat !== undefined) sendHeartbeat(body, heartbeat);
  void pump(source, body, () =>
    eventLoopThrottle.begin(limits.eventLoop.perEvent, ownerOf(request)),
  );
  eventStreams.add(reply);
  return reply
    .headers({
      'content-type': contentType,
      'cache-control': 'no-store, no-transform',
      // Keeps proxies from buffering events.
      'x-accel-buffering': 'no',
    })
    .send(body);
}

/** Sends the ID of the event that precedes the stream. If the client receives no event, it can resume after this ID. */
export function setFirstEvent(reply: FastifyReply, after: string): FastifyReply {
  return reply.header('svc-last-event-id', after);
}

export function isEventStream(reply: FastifyReply): boolean {
  return eventStreams.has(reply);
}

function sendHeartbeat(body: PassThrough, heartbeat: string): void {
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

function ownerOf(request: FastifyRequest): string {
  const { investorId, companyId } = organisationIdsOf(request);
  return investorId ?? companyId ?? request.caller?.credentialId ?? '';
}

/** Resolves when the client has read data or has disconnected. */
export function hasRoom(body: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      body.off('drain', done).off('close', done);
      resolve();
    };
    body.once('drain', done).once('close', done);
  });
}
