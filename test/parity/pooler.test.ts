import { pooled } from '../support/backends.ts';
import { describeParity } from './parity.ts';
import { topicsOfStores } from './scenarios/index.ts';

describeParity(pooled, topicsOfStores);
