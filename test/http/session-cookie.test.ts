import { describe, expect, it, test } from 'vitest';
import { clearSessionCookie, clientNetworkOf, readSessionCookie, writeSessionCookie } from '#http';

const opened = { session: 'svc_ds_x', expiresAt: new Date('2026-11-02T21:30:00.000Z') };

describe('the session cookie', () => {
  const [encrypted, plain] = ['https://access.example', 'http://127.0.0.1:3000'];

  it('is hidden from scripts, and is bound to the host on an encrypted connection', () => {
    expect(writeSessionCookie(opened, encrypted)).toBe(
      '__Host-portfolio_desk=svc_ds_x; Path=/; Expires=Mon, 02 Nov 2026 21:30:00 GMT; HttpOnly; Secure; SameSite=Lax',
    );
    expect(writeSessionCookie(opened, plain)).toBe(
      'portfolio_desk=svc_ds_x; Path=/desk; Expires=Mon, 02 Nov 2026 21:30:00 GMT; HttpOnly; SameSite=Lax',
    );
  });

  it('is deleted by an expired cookie with the same name and path', () => {
    expect(clearSessionCookie(encrypted)).toBe(
      '__Host-portfolio_desk=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=Lax',
    );
    expect(clearSessionCookie(plain)).toMatch(/^portfolio_desk=; Path=\/desk; Expires=Thu, 01 Jan/);
  });

  it.each([
    [undefined, null, null],
    ['', null, null],
    ['other=1', null, null],
    ['portfolio_desk=', null, null],
    ['a=1; portfolio_desk=p; __Host-portfolio_desk=h; b=2', 'h', 'p'],
    ['portfolio_desk=p', null, 'p'],
  ])(
    'is read from the header Cookie under the name for an encrypted or a plain connection: %j',
    (cookie, whereEncrypted, wherePlain) => {
      const request = { headers: { cookie } };
      expect(readSessionCookie(request, encrypted)).toBe(whereEncrypted);
      expect(readSessionCookie(request, plain)).toBe(wherePlain);
    },
  );
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::1', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
  ['unknown', 'unknown'],
])('the network of a client at the address %s is %s', (ip, source) => {
  expect(clientNetworkOf({ ip })).toBe(source);
});
