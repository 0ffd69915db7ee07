import type { Topic } from '../scenario.ts';
import { accessRequests } from './access-requests.ts';
import { asking } from './asking.ts';
import { companies } from './companies.ts';
import { credentials } from './credentials.ts';
import { data } from './data.ts';
import { disclosure } from './disclosure.ts';
import { failures } from './failures.ts';
import { gate } from './gate.ts';
import { idempotency } from './idempotency.ts';
import { limits } from './limits.ts';
import { nextSteps } from './next-steps.ts';
import { order } from './order.ts';
import { changes, transitions } from './transitions.ts';

/** Topics whose results may depend on the store. */
export const topicsOfStores: readonly Topic[] = [
  gate,
  data,
  companies,
  asking,
  idempotency,
  accessRequests,
  changes,
  nextSteps,
];

/** All topics whose results must be the same in every protocol. */
export const topics: readonly Topic[] = [
  credentials,
  order,
  ...topicsOfStores,
  transitions,
  limits,
  failures,
  disclosure,
];
