// @module-tag full
import { describe } from 'vitest';
import { pooled } from '../support/backends.ts';
import { isFull } from '../support/property-runs.ts';
import { describeParity } from './parity.ts';
import { topicsOfStores } from './scenarios/index.ts';

describe.skipIf(!isFull)('in a full run', () => {
  describeParity(pooled, topicsOfStores);
});
