import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessError, type Page } from '#core';
import { limits, longWorkLimit } from '#http';
import { presentList } from './list.ts';

/** A list that may be too long for memory. Its pages are read on demand. */
export interface StreamedList<Item = unknown> {
  readonly pages: AsyncGenerator<Page<Item>, undefined>;
  present(item: Item): object;
  readonly url: string;
  /** The investor that requested the list. Investors with long lists take turns. */
  readonly owner: string;
}

type Piece = string | Uint8Array;

export interface StreamedPieces {
  readonly pieces: AsyncGenerator<Piece, undefined>;
  readonly owner: string;
}

/** Each waiting list keeps its first piece in memory. */
const maxWaiting = limits.longWork.waitingPerCaller;

/**
 * Sends a list in the usual list format. Reads the next page only when the client has received the previous one.
 * Between pages, the list needs no database connection. If a page can't be read, closes the connection, so that the
 * client notices the missing part.
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

/** Shorter lists are sent as one body, longer ones as a stream. */
const shortBytes = 256 * 1024;

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

async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  owner: string,
  write: () => AsyncGenerator<Piece, undefined>,
): Promise<FastifyReply> {
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  // Other HTTP requests may use the permits, because the list may wait for a long time.
  request.releasePermits?.();
  if (longWorkLimit.countWaiting(owner) >= maxWaiting) {
    const message = `${maxWaiting} long lists of this investor already wait for their turn.`;
    throw new AccessError('service_unavailable', { message });
  }
  const leave = await longWorkLimit.enter(owner);
  if (reply.raw.closed) {
    leave();
    return reply.hijack();
  }
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
