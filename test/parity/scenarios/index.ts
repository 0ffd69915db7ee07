import type { Topic } from '../scenario.ts';
import { asking } from './asking.ts';
import { changes } from './changes.ts';
import { credentials } from './credentials.ts';
import { data } from './data.ts';
import { disclosure } from './disclosure.ts';
import { inEveryState } from './every-state.ts';
import { failures } from './failures.ts';
import { idempotency } from './idempotency.ts';
import { limits } from './limits.ts';
import { lists } from './lists.ts';
import { nextSteps } from './next-steps.ts';
import { order } from './order.ts';
import { terms } from './terms.ts';

/** Their results may depend on the kind of storage. */
export const topicsOfStores: readonly Topic[] = [
  inEveryState,
  data,
  terms,
  lists,
  asking,
  idempotency,
  changes,
  nextSteps,
  disclosure,
];

/** Their results must be the same in every protocol. */
export const topics: readonly Topic[] = [credentials, order, ...topicsOfStores, limits, failures];
