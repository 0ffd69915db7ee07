import { expect, test } from 'vitest';
import { findFeedProblems } from '../../../../core/model/consistency/feed-state.ts';

const sound = {
  lastPosition: 9n,
  highestPosition: 9n,
  runs: [{ first: 3n, last: 9n }],
  consumers: [{ name: 'mails', position: 9n }],
};

test.each([
  ['a feed without a gap has no problem', {}, []],
  [
    'a new feed without events has no problem',
    { lastPosition: 0n, highestPosition: 0n, runs: [], consumers: [] },
    [],
  ],
  [
    'a feed has no problem if its last events were deleted because of their age',
    { highestPosition: 7n, runs: [] },
    [],
  ],
  [
    'a gap between the positions of two events is a problem',
    {
      runs: [sound.runs[0] as never, { first: 12n, last: 14n }],
      lastPosition: 14n,
      highestPosition: 14n,
    },
    ['no event has the positions 10 to 11'],
  ],
  [
    'an event with a position after the feed’s end is a problem',
    { highestPosition: 12n },
    ['the feed ends at 9, and its last event has the position 12'],
  ],
  [
    'a feed’s end with a position after the last event is a problem',
    { lastPosition: 12n },
    ['the feed ends at 12, and its last event has the position 9'],
  ],
  [
    'an event with a position after the feed’s end is a problem, even if the feed has no recent events',
    { highestPosition: 12n, runs: [] },
    ['the feed ends at 9, and its last event has the position 12'],
  ],
  [
    'a consumer with a position after the feed’s end is a problem',
    { consumers: [{ name: 'webhooks', position: 10n }] },
    ['the consumer webhooks is at 10, after the end'],
  ],
])('%s', (_what, change: Partial<typeof sound>, problems) => {
  expect(findFeedProblems({ ...sound, ...change })).toEqual(problems);
});
