import { expect, test } from 'vitest';
import { requestSpanOf } from '../../../../core/model/consent/request-id.ts';
import {
  checkVersion,
  eventIdOf,
  versionAfter,
  versionOf,
} from '../../../../core/model/consent/request-version.ts';
import { pendingRequest } from '../../builders.ts';
import { expectRefusal } from '../../world.ts';

test('the time in an API request’s id limits the search for its access records to a short period', () => {
  expect(requestSpanOf('req_01a213cf78897cea9a737c60c542c782')).toEqual({
    since: new Date(0x01a213cf7889 - 60_000),
    until: new Date(0x01a213cf7889 + 15 * 60_000),
  });
});

test.each([['req_1'], ['01a213cf78897cea9a737c60c542c782']])(
  'an id in an unknown format doesn’t limit the search for access records: %s',
  (id) => expect(requestSpanOf(id)).toBeNull(),
);

test('the version of an access request contains the id of the last event that matters to the company’s decision', () => {
  expect([versionOf('evt_7a'), eventIdOf('ver_7a')]).toEqual(['ver_7a', 'evt_7a']);
  const after = (type: 'amend' | 'remind' | 'expire') =>
    versionAfter(pendingRequest({ version: 'ver_1' }), { type }, 'evt_2');
  expect([after('amend'), after('remind'), after('expire')]).toEqual(['ver_2', 'ver_1', 'ver_1-e']);
});

test('a decision without a version is refused if the access request has changed since its creation', async () => {
  checkVersion(pendingRequest(), null);
  const amended = pendingRequest({ amendments: 1 });
  const checking = (version: string | null) => () => checkVersion(amended, version);
  await expectRefusal(
    checking(null),
    'request_changed',
    'since it was made. It is pending now: send the version',
  );
  await expectRefusal(checking('0'), 'request_changed', 'since it was read: it is pending');
});
