import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, type Page } from '#core';
import { limits, slowLane } from '#http';
import { presentList } from './list.ts';

/** A list that may be too long for memory. */
export interface StreamedList<Item = unknown> {
  /** Each page is read on demand. */
  readonly pages: AsyncGenerator<Page<Item>, undefined>;
  present(item: Item): object;
  readonly url: string;
  /** The owner of the list. */
  readonly owner: string;
}

type Piece = string | Uint8Array;

/** The same as text, for a list that is assembled from pieces. */
export interface StreamedPieces {
  /** Each piece is made on demand. */
  readonly pieces: AsyncGenerator<Piece, undefined>;
  readonly owner: string;
}

/** Limited, because each waiting list holds its first part in memory. */
const maxWaiting = limits.lanes.waitingPerCaller;

/**
 * Answers with a list in the contract's envelope. A list longer than a page is written while it is read, page by page
 * as
 * the client takes it, and holds no database connection in between. If a page can't be read, the connection is closed,
 * so that the client doesn't take a part for the whole.
 */
export async function sendList<Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  { pages, present, url, owner }: StreamedList<Item>,
): Promise<FastifyReply> {
  const first = await pages.next();
  const { items = [], nextCursor = null } = first.value ?? {};
  if (nextCursor === null) {
    return reply.send(JSON.stringify(presentList(items.map(present), url)));
  }
  return sendStream(request, reply, owner, () => writeList(items, pages, present, url));
}

/** A shorter list is sent as a whole. */
const shortBytes = 256 * 1024;

/** The same for pieces of text. */
export async function sendPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  { pieces, owner }: StreamedPieces,
): Promise<FastifyReply> {
  const firstPieces: Buffer[] = [];
  for (let bytes = 0; bytes < shortBytes; ) {
    const { done, value } = await pieces.next();
    if (done) return reply.send(Buffer.concat(firstPieces));
    const piece = Buffer.from(value as string);
    firstPieces.push(piece);
    bytes += piece.length;
  }
  return sendStream(request, reply, owner, () => writeOn(firstPieces, pieces));
}

async function* writeOn(
  firstPieces: readonly Buffer[],
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece, undefined> {
  yield Buffer.concat(firstPieces);
  yield* pieces;
}

/** Sends a list that is longer than its first part. */
async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  owner: string,
  write: () => AsyncGenerator<Piece, undefined>,
): Promise<FastifyReply> {
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  // A waiting list holds none of the caller's permits.
  request.releasePermits?.();
  if (slowLane.waitingOf(owner) >= maxWaiting) {
    const message = `More than ${maxWaiting} long lists of this investor wait to be written.`;
    throw new AccessError('service_unavailable', { message });
  }
  const leave = await slowLane.enter(owner);
  if (reply.raw.closed) {
    leave();
    return reply.hijack();
  }
  // One piece at a time, because pieces made in advance would stay in memory.
  const body = Readable.from(write(), { highWaterMark: 1 });
  body.once('close', () => leave());
  reply.raw.once('close', () => body.destroy());
  return reply.send(body);
}

async function* writeList<Item>(
  first: readonly Item[],
  pages: AsyncIterable<Page<Item>>,
  present: (item: Item) => object,
  url: string,
): AsyncGenerator<string, undefined> {
  const [before, after] = JSON.stringify(presentList([], url)).split('[]');
  yield `${before}[${JSON.stringify(first.map(present)).slice(1, -1)}`;
  for await (const { items } of pages) {
    if (items.length > 0) yield `,${JSON.stringify(items.map(present)).slice(1, -1)}`;
  }
  yield `]${after}`;
}
