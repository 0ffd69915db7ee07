import { type LookupFunction, Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { isPublicAddress } from '../../../gateway/webhooks/public-address.ts';
import type { Address, FindAddresses } from '../../../gateway/webhooks/resolve-host.ts';
import { createWebhookSender } from '../../../gateway/webhooks/sender.ts';

/** Hosts that a hostile owner of a webhook endpoint may enter. None of them is on the internet. */
const literals = [
  '127.0.0.1',
  '127.1',
  '127.0.0.1.',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.01',
  '%31%32%37.0.0.1',
  '127。0。0。1',
  '①②⑦.0.0.1',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '192.88.99.1',
  '224.0.0.1',
  '255.255.255.255',
  '240.0.0.1',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::1]',
  '[2002:a00:1::]',
  '[2001::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  '[4000::1]',
];

const names: Readonly<Record<string, string>> = {
  localhost: '127.0.0.1',
  'localhost.': '127.0.0.1',
  LOCALHOST: '::1',
  'any.localhost': '::1',
  'inside.example': '10.1.2.3',
  'mapped.example': '::ffff:10.1.2.3',
  'metadata.google.internal': '169.254.169.254',
  'router.local': 'fe80::1%eth0',
};

const request = { id: 'evt_1', timestamp: new Date(), body: '{}', secrets: ['whsec_AAAA'] };

function toAddress(address: string): Address {
  return { address, family: address.includes(':') ? 6 : 4 };
}

/** Replaces DNS. Knows only the names above, in the form in which a URL contains them. */
const findAddresses: FindAddresses = async (name) => {
  const entry = Object.entries(names).find(([known]) => known.toLowerCase() === name);
  if (entry === undefined) throw new Error(`nobody was to ask for ${name}`);
  return [toAddress(entry[1])];
};

/** Records the address of each socket connection, but doesn't open the connection. */
function watchConnections(): string[] {
  const opened: string[] = [];
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args) {
    const [options] = args.flat() as { host?: string; lookup?: LookupFunction }[];
    const { host = '', lookup } = options ?? {};
    if (/^[\d.:a-f]+$/.test(host)) opened.push(host);
    else {
      lookup?.(host, { all: true }, (_error, found) =>
        opened.push(...[found].flat().map((one) => (typeof one === 'string' ? one : one.address))),
      );
    }
    setImmediate(() => this.destroy(new Error('no connection is made in this test')));
    return this;
  });
  return opened;
}

afterEach(() => vi.restoreAllMocks());

describe('an address that is not on the internet', () => {
  test.each([...literals, ...Object.keys(names)])('%s gets no connection', async (host) => {
    const opened = watchConnections();
    const sender = createWebhookSender({ allowPrivate: false, findAddresses });
    const url = `https://${host}/hook`;
    expect(await sender.isAllowed(url)).toBe(false);
    expect(await sender.send({ ...request, url })).toEqual({ failure: 'address_not_allowed' });
    expect(opened).toEqual([]);
  });

  test.each(['localhost', 'LOCALHOST.', 'any.localhost'])(
    '%s is refused even if DNS doesn’t know it',
    async (host) => {
      const findNothing: FindAddresses = () => Promise.reject(new Error('there is no such name'));
      const sender = createWebhookSender({ allowPrivate: false, findAddresses: findNothing });
      expect(await sender.isAllowed(`https://${host}/hook`)).toBe(false);
      expect(await sender.isAllowed('https://notlocalhost/hook')).toBe(true);
    },
  );

  test('is tested in at least forty spellings', () => {
    expect(literals.length + Object.keys(names).length).toBeGreaterThanOrEqual(40);
  });

  test('http is refused for every host', async () => {
    const opened = watchConnections();
    const sender = createWebhookSender({ allowPrivate: false, findAddresses });
    const url = 'http://8.8.8.8/hook';
    expect(await sender.isAllowed(url)).toBe(false);
    expect(await sender.send({ ...request, url })).toEqual({ failure: 'address_not_allowed' });
    expect(opened).toEqual([]);
  });

  test('a name is refused if one of its addresses is not public', async () => {
    const opened = watchConnections();
    const sender = createWebhookSender({
      allowPrivate: false,
      findAddresses: async () => ['8.8.8.8', '10.0.0.1'].map(toAddress),
    });
    const url = 'https://mixed.example/';
    expect(await sender.send({ ...request, url })).toEqual({ failure: 'address_not_allowed' });
    expect(opened).toEqual([]);
  });
});

describe('a name whose DNS changes its answer', () => {
  test('gets no delivery if the answer changes after the endpoint was created', async () => {
    const opened = watchConnections();
    const answers = ['8.8.8.8', '127.0.0.1'];
    const sender = createWebhookSender({
      allowPrivate: false,
      findAddresses: async () => [toAddress(answers.shift() ?? '127.0.0.1')],
    });
    const url = 'https://rebinding.example/';
    expect(await sender.isAllowed(url)).toBe(true);
    expect(await sender.send({ ...request, url })).toEqual({ failure: 'address_not_allowed' });
    expect(opened).toEqual([]);
  });

  test('is connected at its checked address, even if its DNS answer changes before the connection', async () => {
    const opened = watchConnections();
    const answers = ['8.8.8.8', '127.0.0.1', '127.0.0.1'];
    let questions = 0;
    const sender = createWebhookSender({
      allowPrivate: false,
      async findAddresses() {
        questions++;
        return [toAddress(answers.shift() ?? '127.0.0.1')];
      },
    });
    const outcome = await sender.send({ ...request, url: 'https://rebinding.example/' });
    expect(outcome).toEqual({ failure: 'connection_failed' });
    expect(opened).toEqual(['8.8.8.8']);
    expect(questions).toBe(1);
  });
});

test('public addresses are allowed, even in the forms of a network without IPv4', () => {
  const addresses = ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'];
  expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([]);
});
