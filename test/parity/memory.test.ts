import { describe, expect, it } from 'vitest';
import { errorCodes } from '#http';
import { memory } from '../support/backends.ts';
import { canMeet } from './codes.ts';
import { describeOwnCodes } from './own.ts';
import { describeParity, protocols } from './parity.ts';
import { topics } from './scenarios/index.ts';

describeParity(memory, topics, (parts) => {
  describeOwnCodes(parts);

  describe('all scenarios and tests above together', () => {
    it.each(protocols)(
      'have caused each error code that %s can return, and no other code',
      (protocol) => {
        const { met } = parts().drivers[protocol];
        const expected = errorCodes.filter((code) => canMeet(protocol, code));
        expect([...met].toSorted()).toEqual(expected.toSorted());
      },
    );
  });
});
