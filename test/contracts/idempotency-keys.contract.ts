import { expect, test } from 'vitest';
import type { IdempotencyClaim, Investor } from '#core';
import {
  aClaim,
  addInvestor,
  addPair,
  addRequests,
  anAccessRequest,
  at,
  day,
  digestOf,
} from './builders.ts';
import { contract } from './contract.ts';

export const idempotencyKeysContract = contract('idempotency keys', (repositories) => {
  const claimed = { state: 'claimed' };

  async function takeClaim(overrides: Partial<IdempotencyClaim> = {}) {
    const investor = await addInvestor(repositories);
    const claim = aClaim(investor, overrides);
    expect(await repositories.idempotencyKeys.claim(claim)).toEqual(claimed);
    return { investor, claim };
  }

  function repeat(investor: Investor, { key }: IdempotencyClaim, milliseconds = 0) {
    return aClaim(investor, { key, claimedAt: at(milliseconds) });
  }

  async function complete() {
    const pair = await addPair(repositories);
    const request = anAccessRequest(pair);
    await addRequests(repositories, request);
    const claim = aClaim(pair.investor);
    await repositories.idempotencyKeys.claim(claim);
    await repositories.accessRequests.transact(null, (transaction) =>
      transaction.completeClaim(claim, 'created', request.id),
    );
    const completed = {
      state: 'completed',
      fingerprint: claim.fingerprint,
      outcome: 'created',
      accessRequestId: request.id,
    };
    return { ...pair, claim, completed };
  }

  test('a repeated claim gets the first claim’s fingerprint while the first claim’s work is running', async () => {
    const { investor, claim } = await takeClaim();
    const other = { ...repeat(investor, claim), fingerprint: digestOf('something else') };
    expect(await repositories.idempotencyKeys.claim(other)).toEqual({
      state: 'in_flight',
      fingerprint: claim.fingerprint,
    });
  });

  test('exactly one of many simultaneous claims of an idempotency key succeeds', async () => {
    const investor = await addInvestor(repositories);
    const first = aClaim(investor);
    const claims = [first, ...Array.from({ length: 11 }, () => repeat(investor, first))];
    const results = await Promise.all(
      claims.map((claim) => repositories.idempotencyKeys.claim(claim)),
    );
    expect(results.filter(({ state }) => state === 'claimed')).toHaveLength(1);
    expect(results.filter(({ state }) => state === 'in_flight')).toHaveLength(11);
  });

  test('exactly one of many simultaneous claims succeeds after the lease of the first claim has ended', async () => {
    const { investor, claim } = await takeClaim();
    const results = await Promise.all(
      Array.from({ length: 12 }, () =>
        repositories.idempotencyKeys.claim(repeat(investor, claim, 60_000)),
      ),
    );
    expect(results.filter(({ state }) => state === 'claimed')).toHaveLength(1);
  });

  test('a claim is valid until the end of its lease', async () => {
    const { investor, claim } = await takeClaim();
    const { idempotencyKeys } = repositories;
    const before = await idempotencyKeys.claim(repeat(investor, claim, 59_999));
    expect(before.state).toBe('in_flight');
    expect(await idempotencyKeys.claim(repeat(investor, claim, 60_000))).toEqual(claimed);
  });

  test('two investors can claim the same idempotency key independently of each other', async () => {
    const { claim } = await takeClaim();
    const other = await addInvestor(repositories);
    expect(await repositories.idempotencyKeys.claim(repeat(other, claim))).toEqual(claimed);
  });

  test('a repeated claim returns the outcome of the completed claim, even after the lease has ended', async () => {
    const { investor, claim, completed } = await complete();
    const later = repeat(investor, claim, day - 1);
    expect(await repositories.idempotencyKeys.claim(later)).toEqual(completed);
  });

  test('the idempotency key of a completed claim can be claimed again once the claim has expired', async () => {
    const { investor, claim } = await complete();
    const later = { ...repeat(investor, claim, day), fingerprint: digestOf('something else') };
    const { idempotencyKeys } = repositories;
    expect(await idempotencyKeys.claim(later)).toEqual(claimed);
    expect(await idempotencyKeys.claim(repeat(investor, claim, day + 1))).toEqual({
      state: 'in_flight',
      fingerprint: later.fingerprint,
    });
  });

  test('the idempotency key of a released claim can be claimed again at once', async () => {
    const { investor, claim } = await takeClaim();
    await repositories.idempotencyKeys.release(claim);
    expect(await repositories.idempotencyKeys.claim(repeat(investor, claim))).toEqual(claimed);
  });

  test('a late release of a claim doesn’t affect another process that has since claimed the key', async () => {
    const { investor, claim } = await takeClaim();
    await repositories.idempotencyKeys.claim(repeat(investor, claim, 60_000));
    await repositories.idempotencyKeys.release(claim);
    const third = await repositories.idempotencyKeys.claim(repeat(investor, claim, 60_001));
    expect(third.state).toBe('in_flight');
  });

  test('a completed claim can’t be released, and a repeated claim still gets its outcome', async () => {
    const { investor, claim, completed } = await complete();
    await repositories.idempotencyKeys.release(claim);
    expect(await repositories.idempotencyKeys.claim(repeat(investor, claim, 1))).toEqual(completed);
  });

  test('only expired claims are deleted', async () => {
    const short = await takeClaim({ claimedAt: at(-9 * day) });
    const long = await complete();
    await repositories.idempotencyKeys.deleteExpired(at(-8 * day));
    const { idempotencyKeys } = repositories;
    // The lease of the deleted claim would still be running at this time.
    expect(await idempotencyKeys.claim(repeat(short.investor, short.claim, -9 * day))).toEqual(
      claimed,
    );
    expect(await idempotencyKeys.claim(repeat(long.investor, long.claim, 1))).toEqual(
      long.completed,
    );
  });
});
