// @module-tag full
import { describe } from 'vitest';
import { backends, embedded } from '../support/backends.ts';
import { describeParity } from './parity.ts';
import { topicsOfStores } from './scenarios/index.ts';

describe.skipIf(!backends.includes(embedded))('with both databases', () => {
  describeParity(embedded, topicsOfStores);
});
