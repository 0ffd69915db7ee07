// @module-tag full
import { embedded, pooled, postgresWithRoles } from '../support/backends.ts';
import { describeParity } from './parity.ts';
import { topicsOfStores } from './scenarios/index.ts';

for (const backend of [postgresWithRoles, pooled, embedded]) {
  describeParity(backend, topicsOfStores);
}
