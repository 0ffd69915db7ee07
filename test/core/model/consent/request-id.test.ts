import { expect, test } from 'vitest';
import { requestSpanOf } from '../../../../core/model/consent/request-id.ts';

test('the id of a request tells when its records can have been written, a minute before it at the earliest', () => {
  expect(requestSpanOf('req_01a213cf78897cea9a737c60c542c782')).toEqual({
    since: new Date(0x01a213cf7889 - 60_000),
    until: new Date(0x01a213cf7889 + 15 * 60_000),
  });
});

test.each([['req_1'], ['01a213cf78897cea9a737c60c542c782']])(
  'an id that is none of ours tells nothing: %s',
  (id) => expect(requestSpanOf(id)).toBeNull(),
);
