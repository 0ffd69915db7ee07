import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The pushed records as JSON texts, in both formats. */
  readonly records: readonly string[];
}

/** A push without a reply is accepted. */
export type Reply =
  | { readonly status: number; readonly json?: object; readonly retryAfter?: string }
  | 'break the connection'
  | ((response: ServerResponse) => void);

export interface PushReceiver {
  readonly url: string;
  readonly received: readonly ReceivedPush[];
  push(number: number): Promise<ReceivedPush>;
  close(): Promise<void>;
}

export const refusalOf = (code: string, message: string, more: object = {}) => ({
  error: { type: 'invalid_request_error', code, message, request_id: 'req_1', ...more },
});

/** Replaces the service, stores the pushes and returns the given answers. */
export async function startPushReceiver(
  replies: readonly (Reply | undefined)[] = [],
): Promise<PushReceiver> {
  const received: ReceivedPush[] = [];
  const waiting = new Map<number, (push: ReceivedPush) => void>();
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const body = await text(request);
    const push = { path, headers, body, records: recordsIn(body) };
    const reply = replies[received.length];
    received.push(push);
    waiting.get(received.length)?.(push);
    if (typeof reply === 'function') return reply(response);
    if (reply === 'break the connection') return request.socket.destroy();
    const { status, json, retryAfter } = reply ?? taken(push.records.length);
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    });
    response.end(JSON.stringify(json ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    push(number) {
      const push = received[number - 1];
      if (push !== undefined) return Promise.resolve(push);
      return new Promise((resolve) => void waiting.set(number, resolve));
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const taken = (created: number): Exclude<Reply, string | ((response: ServerResponse) => void)> => ({
  status: 200,
  json: { object: 'data_push', created, revised: 0, unchanged: 0, data_version: '7' },
});

/** Accepts newline-delimited JSON or `{"records": […]}`. No record contains an array. */
function recordsIn(body: string): string[] {
  const list = /^\{"records":\[(.*)\]\}$/s.exec(body)?.[1];
  if (list === undefined) return body.split('\n').filter((line) => line !== '');
  return list.split(/(?<=\}),(?=\{"type")/);
}
