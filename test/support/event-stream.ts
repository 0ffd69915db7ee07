import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

export interface OpenedStream {
  readonly response: IncomingMessage;
  text(): string;
  readonly events: readonly EventSourceMessage[];
  /** Resolves with the first matching event, even an earlier one. Rejects if the stream ends without one. */
  find(fits: (event: EventSourceMessage) => boolean): Promise<EventSourceMessage>;
  /** Resolves when the connection has ended for any reason. */
  readonly ended: Promise<void>;
  leave(): void;
}

interface Ask {
  readonly method?: 'GET' | 'POST';
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The client disconnects after this many milliseconds without data. 0 means never. */
  readonly patience?: number;
}

/** A simple client that doesn't reconnect. */
export async function openStream(
  url: string,
  { method = 'GET', key, headers = {}, body, patience = 0 }: Ask = {},
): Promise<OpenedStream> {
  const sent = http.request(url, {
    method,
    agent: new http.Agent(),
    timeout: patience,
    headers: {
      accept: 'text/event-stream',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  sent.on('timeout', () => sent.destroy(new Error('nothing has come')));
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const events: EventSourceMessage[] = [];
  const looking = new Set<() => void>();
  let text = '';
  const parser = createParser({ onEvent: (event) => events.push(event) });
  response.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    parser.feed(piece);
    for (const look of looking) look();
  });
  response.on('error', () => undefined);
  sent.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => response.once('close', () => resolve()));
  return {
    response,
    events,
    ended,
    text: () => text,
    find(fits) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find(fits);
          if (found === undefined) return;
          looking.delete(look);
          resolve(found);
        };
        looking.add(look);
        look();
        void ended.then(() => reject(new Error(`the stream has ended: ${text}`)));
      });
    },
    leave: () => sent.destroy(),
  };
}
