// @module-tag full
import { postgresWithRoles } from '../support/backends.ts';
import { describeParity } from './parity.ts';
import { topicsOfStores } from './scenarios/index.ts';

describeParity(postgresWithRoles, topicsOfStores);
