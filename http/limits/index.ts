import { EventLoopThrottle } from './event-loop-throttle.ts';
import { limits } from './limits.ts';
import { LongWorkLimit } from './long-work-limit.ts';

export { EventLoopLag } from './event-loop-lag.ts';
export { EventLoopThrottle } from './event-loop-throttle.ts';
export { KeyedSemaphore } from './keyed-semaphore.ts';
export { LongWorkLimit } from './long-work-limit.ts';
export { limits };

// Each process has only one instance of each limit, because all its servers share the event loop and the memory.
export const longWorkLimit = new LongWorkLimit(limits.longWork.general);
export const historyLimit = new LongWorkLimit(limits.longWork.histories);
export const pushLimit = new LongWorkLimit(limits.longWork.pushes);
export const fileLimit = new LongWorkLimit(limits.longWork.files);
export const eventLoopThrottle = new EventLoopThrottle(limits.eventLoop.microsecondsPerTurn);
