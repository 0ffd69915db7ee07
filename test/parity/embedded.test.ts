import { embedded } from '../support/backends.ts';
import { describeParity } from './parity.ts';
import { topicsOfStores } from './scenarios/index.ts';

describeParity(embedded, topicsOfStores);
