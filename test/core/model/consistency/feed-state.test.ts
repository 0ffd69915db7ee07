import { expect, test } from 'vitest';
import { findFeedProblems } from '../../../../core/model/consistency/feed-state.ts';

const sound = {
  lastPosition: 9n,
  highestPosition: 9n,
  runs: [{ first: 3n, last: 9n }],
  consumers: [{ name: 'mails', position: 9n }],
};

test.each([
  ['a feed without a gap', {}, []],
  ['a new feed', { lastPosition: 0n, highestPosition: 0n, runs: [], consumers: [] }, []],
  ['a feed whose last events were forgotten', { highestPosition: 7n, runs: [] }, []],
  [
    'a gap',
    {
      runs: [sound.runs[0] as never, { first: 12n, last: 14n }],
      lastPosition: 14n,
      highestPosition: 14n,
    },
    ['no event has the positions 10 to 11'],
  ],
  [
    'an event beyond the end',
    { highestPosition: 12n },
    ['the feed ends at 9, and its last event has the position 12'],
  ],
  [
    'an end beyond the last event',
    { lastPosition: 12n },
    ['the feed ends at 12, and its last event has the position 9'],
  ],
  [
    'an event beyond the end of a feed of old events',
    { highestPosition: 12n, runs: [] },
    ['the feed ends at 9, and its last event has the position 12'],
  ],
  [
    'a consumer beyond the end',
    { consumers: [{ name: 'webhooks', position: 10n }] },
    ['the consumer webhooks is at 10, after the end'],
  ],
])('%s', (_what, change: Partial<typeof sound>, problems) => {
  expect(findFeedProblems({ ...sound, ...change })).toEqual(problems);
});
