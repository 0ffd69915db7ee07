import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span in a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly milliseconds: number;
  readonly hasFailed: boolean;
}

export interface Collector {
  readonly url: string;
  readonly spans: CollectedSpan[];
  /** The attributes of the service that sent the spans. */
  readonly resource: Record<string, unknown>;
  /** Unchanged. */
  readonly received: Buffer[];
  /** The hosts in the URLs of requests. `itself` stands for a request without a proxy. */
  readonly hosts: ReadonlySet<string>;
  close(): Promise<void>;
}

/** A simple OpenTelemetry collector for spans. With `hangs`, it never answers. */
export async function startCollector({ hangs = false } = {}): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const resource: Record<string, unknown> = {};
  const received: Buffer[] = [];
  const hosts = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    received.push(body);
    // A request to a proxy contains the whole URL, and a request to a collector only the path.
    const { pathname, host } = new URL(request.url ?? '', 'http://itself');
    if (hangs || pathname !== '/v1/traces') return;
    hosts.add(host);
    for (const resourceSpans of messages(body, 1)) {
      for (const one of messages(resourceSpans, 1)) Object.assign(resource, readAttributes(one, 1));
      for (const scopeSpans of messages(resourceSpans, 2)) {
        spans.push(...messages(scopeSpans, 2).map(readSpan));
      }
    }
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resource,
    received,
    hosts,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

function readSpan(bytes: Buffer): CollectedSpan {
  const [start = 0n, end = 0n] = [7, 8].map((number) => first(bytes, number)?.readBigUInt64LE());
  const status = first(bytes, 15);
  return {
    traceId: first(bytes, 1)?.toString('hex') ?? '',
    spanId: first(bytes, 2)?.toString('hex') ?? '',
    parentSpanId: first(bytes, 4)?.toString('hex') ?? '',
    name: String(first(bytes, 5)),
    attributes: readAttributes(bytes, 9),
    milliseconds: Number(end - start) / 1e6,
    hasFailed: status !== undefined && first(status, 3)?.readInt32LE() === 2,
  };
}

function readAttributes(bytes: Buffer, number: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(bytes, number).map((pair) => [String(first(pair, 1)), readValue(first(pair, 2))]),
  );
}

function readValue(value: Buffer | undefined): unknown {
  if (value === undefined) return undefined;
  const list = first(value, 5);
  if (list) return messages(list, 1).map(readValue);
  const double = first(value, 4);
  if (double) return double.readDoubleLE();
  const whole = first(value, 3);
  return whole ? whole.readInt32LE() : String(first(value, 1));
}

const messages = (bytes: Buffer, number: number): Buffer[] =>
  [...fieldsOf(bytes)].filter(([found]) => found === number).map(([, value]) => value);

const first = (bytes: Buffer, number: number): Buffer | undefined => messages(bytes, number)[0];

/** Reads numbers of up to four bytes, which is enough here. */
function* fieldsOf(bytes: Buffer): Generator<[number: number, value: Buffer]> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag & 7;
    if (type === 0) {
      const value = Buffer.alloc(4);
      value.writeUInt32LE(varint() % 2 ** 32);
      yield [tag >>> 3, value];
      continue;
    }
    const length = type === 2 ? varint() : type === 1 ? 8 : 4;
    yield [tag >>> 3, bytes.subarray(at, at + length)];
    at += length;
  }
}
