import type { Clock } from '../../model/platform.ts';
import { addDays } from '../../model/time.ts';

/** How long a feed goes back. Those of requests are kept for longer: they are the history of these. */
const daysInFeed = 90;

/** The first instant of the feed. */
export const startOfFeed = (clock: Clock): Date => addDays(clock.now(), -daysInFeed);

/** In the place of an event: before the first one. A reader that has no event yet can come again with it. */
export const beforeFirstEvent = 'evt_start';
