import { once } from 'node:events';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';

export interface Subscribers {
  /** How many watch with the key of this number. */
  countOf(key: number): number;
  /** Called once for each subscriber that is told of an approval. */
  onApproved(listener: (requestId: string) => void): void;
  leave(): void;
}

/** So many are opened at a time. */
const atOnce = 50;

/** Opens event streams over REST, the keys taking turns. */
export async function openSubscribers(
  url: string,
  keys: readonly string[],
  count: number,
): Promise<Subscribers> {
  const agent = new http.Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const sent: ClientRequest[] = [];
  let listener = (_requestId: string): void => undefined;

  async function open(index: number): Promise<void> {
    const request = http.get(`${url}/v1/events`, {
      agent,
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${keys[index % keys.length]}`,
      },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`a stream has status ${response.statusCode}`);
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        if (!block.includes('event: access_request.approved')) continue;
        const id = /"access_request":\{"id":"([^"]+)"/.exec(block)?.[1];
        if (id !== undefined) listener(id);
      }
    });
    sent.push(request);
  }

  for (let first = 0; first < count; first += atOnce) {
    const length = Math.min(atOnce, count - first);
    await Promise.all(Array.from({ length }, (_, index) => open(first + index)));
  }
  return {
    countOf: (key) => Math.floor(count / keys.length) + (key < count % keys.length ? 1 : 0),
    onApproved(next) {
      listener = next;
    },
    leave() {
      for (const request of sent) request.destroy();
      agent.destroy();
    },
  };
}
