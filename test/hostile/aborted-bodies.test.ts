import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { closedAfterAll } from '../support/closed.ts';
import { startService } from '../support/service.ts';

const service = await closedAfterAll(startService({ storage: { memory: true } }));
const { key, company } = await service.fixtures.readablePortfolio();
const { secret: companyKey } = await service.operator.createCompanyKey({
  companyId: company.id,
  scopes: ['data:write'],
});

const json = 'application/json';

it.each([
  ['/v1/access-requests', key, json],
  ['/company/v1/data', companyKey, json],
  ['/company/v1/data', companyKey, 'application/x-ndjson'],
  ['/graphql', key, json],
  ['/trpc/accessRequests.create', key, json],
  ['/mcp', key, json],
  ['/desk/sign-in', key, 'application/x-www-form-urlencoded'],
])(
  'the service logs no error if a client of POST %s disconnects in the middle of the body',
  async (path, credential, type) => {
    const { hostname, port } = new URL(service.url);
    const socket = net.connect({ host: hostname, port: Number(port) });
    const arrived = once(service.app.server, 'request');
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${credential}`,
      `Content-Type: ${type}`,
      'Accept: application/json, text/event-stream',
      'Content-Length: 1000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{"a":`);
    const [request] = (await arrived) as [IncomingMessage];
    const closed = new Promise((resolve) => request.once('close', resolve));
    // The service reads the body only after it has accepted the key.
    while (request.listenerCount('data') === 0) await nextTurn();
    socket.destroy();
    await closed;
    await service.get('/healthz', null);
    expect(service.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  },
);
