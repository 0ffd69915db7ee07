import { expect, test, vi } from 'vitest';
import { publicationMilliseconds } from '#core';
import { fixedKid } from '../../../support/signing-key.ts';
import { createWorld, expectRefusal, later, start, type World } from '../../world.ts';

type Operator = World['operator'];

const statesOf = async ({ listSigningKeys }: Operator) =>
  (await listSigningKeys()).map(({ kid, state }) => [kid, state]);

/** Expects that the given signing key can't be retired, because it is the current one. */
const expectSigning = ({ retireSigningKey }: Operator, kid: string) =>
  expectRefusal(retireSigningKey(kid), 'signing_key_conflict', 'signs now');

test('a new signing key is listed as next until it begins to sign, and then as current', async () => {
  const { operator, ports, clock } = createWorld();
  await ports.signer.current();
  expect(await operator.listSigningKeys()).toEqual([
    {
      number: 1,
      kid: fixedKid,
      x: expect.any(String),
      createdAt: start,
      signsAt: start,
      retiredAt: null,
      isImported: false,
      state: 'current',
    },
  ]);
  const { kid, previousKid } = await operator.rotateSigningKey();
  expect(previousKid).toBe(fixedKid);
  expect((await ports.signer.current())?.kid).toBe(fixedKid);
  expect(await statesOf(operator)).toEqual([
    [fixedKid, 'current'],
    [kid, 'next'],
  ]);
  await expectSigning(operator, fixedKid);
  const { signsAt } = (await operator.listSigningKeys())[1] ?? {};
  await expectRefusal(
    operator.retireSigningKey(kid),
    'signing_key_conflict',
    `signs from ${signsAt?.toISOString()} on`,
  );
  clock.set(new Date(start.getTime() + publicationMilliseconds));
  expect((await ports.signer.current())?.kid).toBe(kid);
  expect(await statesOf(operator)).toEqual([
    [fixedKid, 'previous'],
    [kid, 'current'],
  ]);
});

test('another service’s signing key is listed as imported and published, but never signs here', async () => {
  const { operator, ports } = createWorld();
  await ports.signer.current();
  const theirs = {
    ...{ number: 9, kid: 'theirs', x: 'x', isImported: true },
    ...{ createdAt: start, signsAt: start, retiredAt: null },
  };
  const own = await ports.signingKeys.list();
  vi.spyOn(ports.signingKeys, 'list').mockResolvedValue([...own, theirs]);
  expect(await statesOf(operator)).toEqual([
    [fixedKid, 'current'],
    ['theirs', 'imported'],
  ]);
  expect((await operator.listPublicKeys()).map(({ kid }) => kid)).toEqual(['theirs', fixedKid]);
  await expectSigning(operator, fixedKid);
  await expectRefusal(operator.retireSigningKey('theirs'), 'signing_key_not_found', 'theirs');
});

test('the public keys are listed newest first, without retired keys', async () => {
  const { operator, ports, clock } = createWorld();
  await ports.signer.current();
  const { kid } = await operator.rotateSigningKey({ atOnce: true });
  expect((await operator.listPublicKeys()).map((key) => key.kid)).toEqual([kid, fixedKid]);
  clock.set(later(1));
  await operator.retireSigningKey(fixedKid);
  expect(await operator.listSigningKeys()).toMatchObject([
    { kid: fixedKid, state: 'retired', retiredAt: later(1) },
    { kid, state: 'current', retiredAt: null },
  ]);
  expect((await operator.listPublicKeys()).map((key) => key.kid)).toEqual([kid]);
  expect((await ports.signer.current())?.kid).toBe(kid);
});

test('an unknown signing key can’t be retired', async () => {
  const { operator } = createWorld();
  await expectRefusal(
    operator.retireSigningKey('none'),
    'signing_key_not_found',
    'the signing key none doesn’t exist',
  );
});

test('a signing key can’t be retired if stored signatures depend on it', async () => {
  const { operator, ports } = createWorld();
  vi.spyOn(ports.signingKeys, 'retire').mockResolvedValue('in_use');
  await expectRefusal(
    operator.retireSigningKey('kid_1'),
    'signing_key_conflict',
    'depend on the key kid_1',
  );
});

test('listing and retiring signing keys neither loads nor creates a private key', async () => {
  const { operator, ports } = createWorld(() => ({
    signer: {
      current: () => Promise.reject(new Error('the file was opened')),
      reload: async () => false,
      rotate: () => Promise.reject(new Error('the file was opened')),
      register: () => Promise.reject(new Error('the file was opened')),
    },
  }));
  expect(await operator.listSigningKeys()).toEqual([]);
  await ports.signingKeys.register({ kid: 'kid_1', x: 'x' }, start);
  await ports.signingKeys.register({ kid: 'kid_2', x: 'y' }, start);
  await operator.retireSigningKey('kid_1');
  await expectSigning(operator, 'kid_2');
  expect(await statesOf(operator)).toEqual([
    ['kid_1', 'retired'],
    ['kid_2', 'current'],
  ]);
});

test('the previous key signs and can’t be retired after the newest one was retired', async () => {
  const { operator, ports } = createWorld();
  await ports.signingKeys.register({ kid: 'kid_1', x: 'x' }, start);
  await ports.signingKeys.register({ kid: 'kid_2', x: 'y' }, start);
  await ports.signingKeys.retire('kid_2', start);
  expect(await statesOf(operator)).toEqual([
    ['kid_1', 'current'],
    ['kid_2', 'retired'],
  ]);
  await expectSigning(operator, 'kid_1');
});

test('the registration of a signing key calls the signer port', async () => {
  const registered = { kid: 'put-there-by-hand', signsAt: start };
  const { operator, ports } = createWorld();
  vi.spyOn(ports.signer, 'register').mockResolvedValue(registered);
  expect(await operator.registerSigningKey()).toEqual(registered);
});
