import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { backends } from '../support/backends.ts';
import { expectOk, expectRefusal } from '../support/expectations.ts';
import type { Answer } from '../support/http-client.ts';
import { isFull } from '../support/property-runs.ts';
import { exchangeBytes, openConnection, parseResponses } from '../support/raw-http.ts';
import { startService, type TestService } from '../support/service.ts';
import { startServiceOn } from '../support/service-on.ts';

const service = await startServiceOn(backends[0]);
const made = await service.fixtures.readablePortfolio({ rateLimit: 10_000 });
const { key } = made;

/** The service must still serve the next caller. */
afterEach(async () => {
  expectOk(await service.get(`/v1/companies/${made.company.id}/metrics`, key));
});

async function send(...parts: (string | Buffer)[]): Promise<Answer[]> {
  const bytes = await exchangeBytes(service.url, ...parts);
  const answers = parseResponses(bytes);
  for (const answer of answers) service.check(answer);
  return answers;
}

async function sendOne(...parts: (string | Buffer)[]): Promise<Answer> {
  const answers = await send(...parts);
  expect(answers).toHaveLength(1);
  return answers[0] as Answer;
}

const authorization = () => `Authorization: Bearer ${key}`;
const close = 'Connection: close';
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const request = (target: string, ...headers: string[]) =>
  lines(`${target} HTTP/1.1`, 'Host: a', ...headers);

const post = (as: string, ...headers: string[]) =>
  request(
    'POST /v1/access-requests',
    `Authorization: Bearer ${as}`,
    'Content-Type: application/json',
    ...headers,
  );

describe('bytes that aren’t a valid request', () => {
  it.each([
    ['words', 'hello, are you there?\r\n\r\n'],
    ['a TLS greeting', Buffer.from('16030100c8010000c40303', 'hex')],
    ['zeros', Buffer.alloc(64)],
    ['an unknown method', request('FETCH /v1/companies')],
    ['a method in lower case', request('get /v1/companies')],
    ['an unknown version', lines('GET /v1/companies HTTP/9.9', 'Host: a')],
    ['a space in the path', request('GET /v1/compa nies')],
    ['NUL in the path', request('GET /v1/\u0000')],
    ['bytes over 127 in the path', Buffer.from(request('GET /v1/é'), 'latin1')],
    ['NUL in a header', request('GET /healthz', 'X: a\u0000b')],
    ['a header without a colon', request('GET /healthz', 'nonsense')],
    ['a folded header', request('GET /healthz', 'X: a', ' b')],
    ['a space before the colon', request('GET /healthz', 'X : a')],
    ['two lengths', request('POST /v1/access-requests', 'Content-Length: 2', 'Content-Length: 3')],
    [
      'a length and chunks',
      request('POST /v1/access-requests', 'Content-Length: 2', 'Transfer-Encoding: chunked'),
    ],
    ['a length that is no number', request('POST /v1/access-requests', 'Content-Length: x')],
    ['a negative length', request('POST /v1/access-requests', 'Content-Length: -1')],
  ])('get 400 with an error in JSON, and the connection ends: %s', async (_name, bytes) => {
    const answer = await sendOne(bytes);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('invalid_parameter');
  });

  it.each(['127.0.0.1:5432', '/v1/companies'])(
    'get 404 if they begin with CONNECT %s, and no tunnel is opened',
    async (target) => {
      const answer = await sendOne(request(`CONNECT ${target}`, authorization()));
      expectRefusal(answer, 'route_not_found');
      expect(answer.headers.connection).toBe('close');
    },
  );

  it.each([
    ['CONNECT', 404, request('CONNECT a:1')],
    ['words', 400, 'hello?\r\n\r\n'],
  ])(
    'are answered after the earlier requests on the connection: %s',
    async (_name, status, bytes) => {
      const get = (path: string) => request(`GET ${path}`, authorization());
      const answers = await send(
        get('/v1/companies') + get('/healthz') + get('/v1/reports') + bytes,
      );
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 501, status]);
      expect(new Set(answers.map(({ headers }) => headers['svc-request-id'])).size).toBe(4);
    },
  );

  it('end the connection, so later bytes get no response', async () => {
    const connection = openConnection(service.url);
    connection.write('hello?\r\n\r\n');
    await connection.waitFor('invalid_parameter');
    connection.write('hello?\r\n\r\n');
    connection.write(request('GET /healthz'));
    expect(parseResponses(await connection.closed)).toHaveLength(1);
  });
});

describe('headers', () => {
  it('over 16 KiB get 431 with an error in JSON', async () => {
    const answer = await sendOne(
      request('GET /v1/companies', authorization(), `X-Long: ${'x'.repeat(20_000)}`),
    );
    expect(answer.status).toBe(431);
  });

  it('a path over 16 KiB gets 431 with an error in JSON', async () => {
    const answer = await sendOne(lines(`GET /v1/${'x'.repeat(20_000)} HTTP/1.1`, 'Host: a'));
    expect(answer.status).toBe(431);
  });

  it('get a response even if there are 3,000 of them', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => `x${index}: `);
    const answer = await sendOne(request('GET /v1/companies', close, authorization(), ...many));
    expect([200, 401, 431]).toContain(answer.status);
  });
});

describe('a body', () => {
  it('is refused before the client sends it if its announced length is over 64 KiB', async () => {
    const answer = await sendOne(post(key, 'Content-Length: 1000000'));
    expectRefusal(answer, 'payload_too_large');
  });

  it('is refused even after the client has sent it if its announced length is over 64 KiB', async () => {
    const [answer] = await send(post(key, 'Content-Length: 200000'), 'x'.repeat(200_000));
    expectRefusal(answer as Answer, 'payload_too_large');
  });

  it('is refused if its chunks have more than 64 KiB in total', async () => {
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const [answer] = await send(
      post(key, 'Transfer-Encoding: chunked'),
      ...Array(6).fill(chunk),
      '0\r\n\r\n',
    );
    expectRefusal(answer as Answer, 'payload_too_large');
  });

  it('is read if its chunks have exactly 64 KiB in total', async () => {
    const json = JSON.stringify({ company_id: 'co_none', scopes: ['metrics:read'] });
    const chunk = `8000\r\n${json.padEnd(0x8000, ' ')}\r\n8000\r\n${' '.repeat(0x8000)}\r\n0\r\n\r\n`;
    const answer = await sendOne(post(key, 'Transfer-Encoding: chunked', close), chunk);
    expectRefusal(answer, 'company_not_found');
  });

  it('gets 400 if its chunks are invalid', async () => {
    const answer = await sendOne(post(key, 'Transfer-Encoding: chunked'), 'zz\r\nabc\r\n');
    expect(answer.status).toBe(400);
  });

  it('gets 400 or 501 if its transfer encoding is unknown', async () => {
    const answer = await sendOne(post(key, 'Transfer-Encoding: gzip'), 'abc');
    expect([400, 501]).toContain(answer.status);
  });

  it.each([
    'Transfer-Encoding: identity, chunked',
    'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding: chunked, identity',
    'Transfer-Encoding: , chunked',
  ])(
    'gets 400 if its transfer encoding is ambiguous, and nothing after it is read: %j',
    async (header) => {
      const json = '2\r\n{}\r\n0\r\n\r\n';
      const next = request('GET /v1/companies', authorization(), close);
      const answer = await sendOne(post(key, header), json, next);
      expectRefusal(answer, 'invalid_parameter');
    },
  );

  it('is refused if it is chunked over HTTP/1.0, which has no chunks', async () => {
    const head = post(key, 'Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0');
    expectRefusal(await sendOne(head, '2\r\n{}\r\n0\r\n\r\n'), 'invalid_parameter');
  });

  it('is read if it is chunked with the header value “Chunked”, which has a capital letter', async () => {
    const answer = await sendOne(
      post(key, 'Transfer-Encoding: Chunked', close),
      '2\r\n{}\r\n0\r\n\r\n',
    );
    expectRefusal(answer, 'missing_company_id');
  });

  it('has no effect if it is incomplete', async () => {
    const { fixtures, operator } = service;
    const { company, key: own } = await fixtures.portfolio();
    const json = JSON.stringify({ company_id: company.id, scopes: ['metrics:read'] });
    const connection = openConnection(service.url);
    connection.write(post(own, `Content-Length: ${json.length + 10}`));
    connection.write(json);
    connection.end();
    await connection.closed;
    expect(await operator.listCompanyAccessRequests({ companyId: company.id })).toEqual([]);
  });

  it('is not read as the next request if its own request is refused', async () => {
    const smuggled = request('GET /v1/companies', authorization(), close);
    const answers = await send(
      request('PUT /v1/companies', authorization(), `Content-Length: ${smuggled.length}`),
      smuggled,
      request('GET /healthz', close),
    );
    expectRefusal(answers[0] as Answer, 'method_not_allowed');
    for (const { text } of answers.slice(1)) expect(text).not.toContain('"object":"list"');
  });
});

describe('a slow request', () => {
  let impatient: TestService;

  beforeAll(async () => {
    const timeouts = { headers: 400, request: 800, keepAlive: 60_000, unread: 60_000 };
    impatient = await startService({ storage: { memory: true }, timeouts });
  });
  afterAll(() => impatient?.close());

  it('gets 408 with an error in JSON if its headers do not arrive in time', async () => {
    const connection = openConnection(impatient.url);
    connection.write('GET /v1/companies HTTP/1.1\r\nHost: a\r\nX-Slow: ');
    const [answer] = parseResponses(await connection.closed);
    expect(answer?.status).toBe(408);
    service.check(answer as Answer);
  });

  it('gets 408 with an error in JSON if its body does not arrive in time', async () => {
    const { key: own } = await impatient.fixtures.portfolio();
    const connection = openConnection(impatient.url);
    connection.write(post(own, 'Content-Length: 20'));
    connection.write('{"a');
    const [answer] = parseResponses(await connection.closed);
    expect(answer?.status).toBe(408);
    service.check(answer as Answer);
  });

  it('is read if it arrives byte by byte', async () => {
    const connection = openConnection(service.url);
    for (const byte of request('GET /healthz', close)) {
      connection.write(byte);
      await wait(0);
    }
    const [answer] = parseResponses(await connection.closed);
    expectOk(answer as Answer);
  });
});

describe('a silent client', () => {
  const many = isFull ? 500 : 100;
  let own: TestService;

  beforeAll(async () => {
    const timeouts = { headers: 400, request: 800, keepAlive: 600_000, unread: 600_000 };
    own = await startService({ storage: { memory: true }, timeouts });
  });
  afterAll(() => own?.close());

  it.each([
    ['nothing', ''],
    ['one byte', 'G'],
    ['an empty line', '\r\n'],
    ['half of the headers', 'GET /v1/companies HTTP/1.1\r\nHost: a\r\nX-Sl'],
  ])(
    `is disconnected if it sends %s, even if ${many} clients do this at once`,
    async (_name, begun) => {
      const { hostname: host, port } = new URL(own.url);
      const ends: Promise<unknown>[] = [];
      const note = (socket: net.Socket) => void ends.push(once(socket, 'close'));
      own.app.server.on('connection', note);
      const open = Array.from({ length: many }, async () => {
        // The client neither reads answers nor closes its side of the connection.
        const socket = net.connect({ host, port: Number(port), allowHalfOpen: true });
        socket.on('error', () => undefined);
        await once(socket, 'connect');
        socket.write(begun);
        return socket;
      });
      const sockets = await Promise.all(open);
      await expect.poll(() => ends.length).toBe(many);
      await Promise.all(ends);
      own.app.server.off('connection', note);
      for (const socket of sockets) socket.destroy();
    },
  );

  it('is disconnected if it does not read its responses', async () => {
    const timeouts = { headers: 60_000, request: 60_000, keepAlive: 60_000, unread: 1_500 };
    const own = await startService({ storage: { memory: true }, timeouts });
    const { hostname, port } = new URL(own.url);
    const socket = net.connect({ host: hostname, port: Number(port) });
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => undefined);
    socket.pause();
    // The answers are larger than all buffers between the service and the client.
    const asked = request('GET /v1/openapi.json');
    socket.write(asked.repeat(400));
    // A client that doesn't read notices the end of the connection only when it writes.
    const knocking = setInterval(() => socket.write(asked), 50);
    await closed.finally(() => clearInterval(knocking));
    expect(socket.bytesRead).toBe(0);
    await own.close();
  });

  it('stays connected while the service is producing its response', async () => {
    const unread = 100;
    const own = await startService({
      storage: { memory: true },
      timeouts: { unread },
      interpose: (useCases) => ({
        ...useCases,
        async listPortfolio(caller, input) {
          await wait(5 * unread);
          return useCases.listPortfolio(caller, input);
        },
      }),
    });
    const { key } = await own.fixtures.portfolio();
    expect((await own.get('/v1/companies', key)).status).toBe(200);
    await own.close();
  });
});

describe('an unusual but valid request', () => {
  it('is answered over HTTP/1.0, and the connection is closed', async () => {
    const answer = await sendOne(lines('GET /v1/companies HTTP/1.0', authorization()));
    expectOk(answer);
    expect(answer.headers.connection).toBe('close');
  });

  it('is routed by the path if its target is an absolute URL', async () => {
    const answer = await sendOne(
      lines(
        'GET http://access.example/v1/companies HTTP/1.1',
        'Host: access.example',
        authorization(),
        close,
      ),
    );
    expectOk(answer);
  });

  it.each(['100-continue', '100-Continue', 'the impossible', ''])(
    'gets a response with the header Expect: “%s”',
    async (expectation) => {
      const { company, key: own } = await service.fixtures.portfolio();
      const json = JSON.stringify({ company_id: company.id, scopes: ['metrics:read'] });
      const answer = await sendOne(
        post(own, `Expect: ${expectation}`, `Content-Length: ${json.length}`, close),
        json,
      );
      expect([201, 417]).toContain(answer.status);
    },
  );

  it.each([
    ['a WebSocket', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']],
    ['HTTP/2', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMA']],
  ])('is answered without an upgrade if it asks for an upgrade to %s', async (_name, headers) => {
    const connection = openConnection(service.url);
    connection.write(request('GET /v1/companies', authorization(), ...headers));
    await connection.waitFor('"next_cursor"');
    connection.write(request('GET /v1/reports', authorization(), close));
    const answers = parseResponses(await connection.closed);
    expect(answers.map(({ status }) => status)).toEqual([200, 501]);
  });

  it('is read like any other POST if it is a POST with a request to upgrade', async () => {
    const { company, key: own } = await service.fixtures.portfolio();
    const json = JSON.stringify({ company_id: company.id, scopes: ['metrics:read'] });
    const connection = openConnection(service.url);
    const length = `Content-Length: ${json.length}`;
    connection.write(post(own, length, 'Connection: Upgrade', 'Upgrade: websocket') + json);
    await connection.waitFor('"pending"');
    connection.write(request('GET /healthz', close));
    const answers = parseResponses(await connection.closed);
    expect(answers.map(({ status }) => status)).toEqual([201, 200]);
  });

  it('leaves the connection usable for the next request if its method is HEAD', async () => {
    const bytes = await exchangeBytes(
      service.url,
      request('HEAD /v1/companies', authorization()) + request('GET /healthz', close),
    );
    const answers = parseResponses(bytes, ['HEAD', 'GET']);
    expect(answers.map(({ status, text }) => [status, text === ''])).toEqual([
      [200, true],
      [200, false],
    ]);
  });
});

it('the log contains neither a key from a path nor a body', async () => {
  const rest = key.slice('svc_sk_live_'.length);
  const paths = [
    `/${key}`,
    `/%73vc_sk_live_${rest}`,
    `/svc%255fsk_live_${rest}`,
    `/v1/companies/%252573vc%5F%2573k_live_${rest}/metrics`,
    `/%zz/%73vc%5fsk_live_${rest}`,
    `/svc_ck_live_${rest}`,
    `/graphql/%73vc_sk_live_${rest}`,
    `/trpc/%73vc_sk_live_${rest}`,
    `http://%73vc_sk_live_${rest}/v1`,
    `/%5fsk_live_${rest}`,
    `/svc%0a_sk_live_${rest}`,
    `/svc.sk.live.${rest}.x`,
    `/whsec_${rest}/${rest}`,
    `/%77hsec%5F${rest}`,
  ];
  for (const path of paths) {
    const bytes = await exchangeBytes(service.url, request(`GET ${path}`, close));
    expect(String(bytes)).toMatch(/^HTTP\/1\.1 4/);
  }
  const log = service.log.join('');
  expect(log).not.toMatch(/svc_sk_(live|test)_[0-9A-Za-z]/);
  expect(log).not.toContain('company_id');
  expect(log).not.toContain(rest);
});
