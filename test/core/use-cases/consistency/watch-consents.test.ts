import { expect, test } from 'vitest';
import type { ConsentTrail, WhichConsents } from '#core';
import { createWorld } from '../../world.ts';

async function aWorld() {
  const asked: WhichConsents[] = [];
  const world = createWorld(({ consistency }) => ({
    consistency: {
      ...consistency,
      async *walkConsents(which) {
        asked.push(which);
        // Removes all events, so that each access request looks inconsistent.
        for await (const trails of consistency.walkConsents(which)) {
          yield trails.map((trail): ConsentTrail => ({ ...trail, events: [] }));
        }
      },
      listSuspectConsents: async () => [id],
    },
  }));
  const { key, company } = await world.portfolio();
  const { id } = await world.request(key, company.id);
  const problem = { check: 'consents', subject: id, problem: 'it has no event' };
  return { world, asked, id, problem };
}

test('a normal run of the consent watcher checks suspicious access requests and those with an earlier problem', async () => {
  const { world, asked, id, problem } = await aWorld();
  const found = await world.background.watchConsents({ isFull: false, known: ['ar_old', id] });
  expect(found).toEqual([problem]);
  expect(asked).toEqual([['ar_old', id]]);
});

test('an access request is no longer reported after it has ended', async () => {
  const { world, id } = await aWorld();
  await world.operator.declineAccessRequest({ id });
  expect(await world.background.watchConsents({ isFull: false, known: [id] })).toEqual([]);
});

test('a full run of the consent watcher checks all open access requests', async () => {
  const { world, asked, problem } = await aWorld();
  expect(await world.background.watchConsents({ isFull: true, known: [] })).toEqual([problem]);
  expect(asked).toEqual(['live']);
});

test('a stopped run of the consent watcher ends before it checks an access request', async () => {
  const { world } = await aWorld();
  const isStopping = () => true;
  expect(await world.background.watchConsents({ isFull: true, known: [], isStopping })).toEqual([]);
});
