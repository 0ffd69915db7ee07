import { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AccessError } from '#core';
import { limits, turns } from './limits/index.ts';
import { actsFor } from './request.ts';

/** The source of an event stream's pieces. The reader of a web stream has this form. */
export interface EventStreamSource {
  /**
   * Resolves when a piece is ready. The stream then waits for its turn before it reads, so pieces don't age in between.
   * Without this method, the stream reads first and then waits.
   */
  ready?(): Promise<void>;
  read(): Promise<{ readonly done?: boolean; readonly value?: Uint8Array | string | undefined }>;
  /** Ends the source at once, even during a read. */
  cancel(): unknown;
}

export interface EventStreamOptions {
  /** Sent periodically. Absent if the source sends heartbeats itself. */
  readonly heartbeat?: string;
  /** Server-sent events by default. */
  readonly contentType?: string;
  /** Called when the server closes. The source then ends soon with a last piece. By default the stream ends at once. */
  readonly finish?: () => void;
}

/** Shorter than the idle timeouts of proxies. */
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

  /** Ends all streams. The clients resume after their last event at another process. */
  endAll(): void {
    this.#isClosing = true;
    for (const [body, finish] of this.#bodies) {
      // A client that doesn't read would delay the end.
      if (body.writableNeedDrain) body.destroy();
      else if (finish) finish();
      else body.end();
    }
  }
}

const eventStreams = new WeakSet<FastifyReply>();

const streamsOf = new WeakMap<FastifyInstance['server'], EventStreams>();

/** Ends the app's event streams when the app closes. Fastify would wait for them. */
export function trackEventStreams(app: FastifyInstance): void {
  const streams = new EventStreams();
  streamsOf.set(app.server, streams);
  app.addHook('preClose', async () => streams.endAll());
}

/** Sends events until the source ends or the client leaves, at the client's pace. Releases the caller's permits. */
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
  if (heartbeat !== undefined) beat(body, heartbeat);
  void pump(source, body, () => turns.begin(limits.eventLoop.perEvent, ownerOf(request)));
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

/** Sends the ID of the event before the stream. A client that received no event resumes after it. */
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

function ownerOf(request: FastifyRequest): string {
  const { investorId, companyId } = actsFor(request);
  return investorId ?? companyId ?? request.caller?.credentialId ?? '';
}

/** Resolves when the client has read something or left. */
export function hasRoom(body: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      body.off('drain', done).off('close', done);
      resolve();
    };
    body.once('drain', done).once('close', done);
  });
}
