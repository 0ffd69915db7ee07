import { afterEach, describe, expect, it } from 'vitest';
import type { Ports } from '#core';
import { deskCookie, formOf, formTo, signIn } from '../desk/desk.ts';
import { closedAfterAll } from '../support/closed.ts';
import type { Answer } from '../support/http-client.ts';
import { openConnection, parseResponses } from '../support/raw-http.ts';
import { startService } from '../support/service.ts';

/** Runs after the next look-up of a credential. */
let onLookedUp: () => void = () => undefined;

const noting =
  <Given extends unknown[], Found>(lookUp: (...given: Given) => Promise<Found>) =>
  async (...given: Given): Promise<Found> => {
    const found = await lookUp(...given);
    onLookedUp();
    return found;
  };

const service = await closedAfterAll(
  startService({
    storage: { memory: true },
    isReachedDirectly: true,
    replace: ({ companyKeys, deskSessions }: Ports) => ({
      companyKeys: { ...companyKeys, authenticate: noting(companyKeys.authenticate) },
      deskSessions: { ...deskSessions, authenticate: noting(deskSessions.authenticate) },
    }),
  }),
);
afterEach(() => {
  onLookedUp = () => undefined;
});

interface Slow {
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** Sends the headers, ends the credential after its look-up, and only then sends the body. */
async function sendSlowly(
  { path, headers, body }: Slow,
  end: () => Promise<unknown>,
): Promise<Answer> {
  const lookedUp = Promise.withResolvers<void>();
  onLookedUp = lookedUp.resolve;
  const connection = openConnection(service.url);
  const { host } = new URL(service.url);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  connection.write(`${head.join('\r\n')}\r\n\r\n`);
  await lookedUp.promise;
  await end();
  connection.write(body);
  const [answer] = parseResponses(await connection.closed);
  return answer ?? expect.fail();
}

const asJson = (key: string) => [`Authorization: Bearer ${key}`, 'Content-Type: application/json'];

const aCompany = async () => {
  const made = await service.fixtures.asking();
  const { secret, key } = await service.operator.createCompanyKey({
    companyId: made.company.id,
    scopes: ['consents:manage', 'data:read', 'data:write'],
  });
  return {
    ...made,
    secret,
    revoke: () => service.operator.revokeCompanyKey({ id: key.id }),
    look: () => service.operator.listAccessEvents({ companyId: made.company.id }),
  };
};

/**
 * Tests of the core cover every change. These tests cover a late body over HTTP, once with a key
 * and once with a session.
 */
describe('a body that arrives after the end of its credential', () => {
  it('changes nothing if it is an approval by a company', async () => {
    const { requestId, secret, revoke, look } = await aCompany();
    const before = await look();
    const path = `/company/v1/access-requests/${requestId}/approve`;
    const answer = await sendSlowly({ path, headers: asJson(secret), body: '{}' }, revoke);
    expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_api_key']);
    expect(answer.headers['www-authenticate']).toBeDefined();
    expect(await look()).toEqual(before);
  });

  it('changes nothing if it is an approval at the desk by a person who was removed', async () => {
    const { company, requestId, look } = await aCompany();
    const person = await signIn(service, company.id);
    const page = await person.get(`/desk/requests/${requestId}`);
    const scopes = [...page.text.matchAll(/name="scopes" value="([^"]+)"/g)].map(
      ([, one = '']) => one,
    );
    const review = await person.submit(formOf(page, 'approve'), { scopes });
    const { action, fields } = formTo(review, '/decide');
    const body = new URLSearchParams(
      Object.entries(fields).flatMap(([name, values]) => values.map((value) => [name, value])),
    ).toString();
    const headers = [
      `Cookie: ${deskCookie}=${person.session}`,
      `Origin: ${service.url}`,
      'Content-Type: application/x-www-form-urlencoded',
    ];
    const before = await look();
    const answer = await sendSlowly({ path: action, headers, body }, async () => {
      const [contact] = await service.operator.listContacts({ companyId: company.id });
      await service.operator.removeContact({ id: contact?.id ?? '', lastAdmin: true });
    });
    expect(answer.status).toBe(303);
    const { location } = await person.get(answer.headers.location ?? '');
    expect(location ?? answer.headers.location).toContain('/desk/sign-in');
    expect(await look()).toEqual(before);
  });
});
