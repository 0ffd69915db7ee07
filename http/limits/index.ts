import { EventLoopThrottle } from './event-loop-throttle.ts';
import { limits } from './limits.ts';
import { SlowLane } from './slow-lane.ts';

export { EventLoopLag } from './event-loop-lag.ts';
export { EventLoopThrottle } from './event-loop-throttle.ts';
export { KeyedSemaphore } from './keyed-semaphore.ts';
export { SlowLane } from './slow-lane.ts';
export { limits };

// Each process has only one instance of each, because all servers of a process share the event loop and the memory.
export const slowLane = new SlowLane(limits.lanes.slow);
export const historyLane = new SlowLane(limits.lanes.histories);
export const pushLane = new SlowLane(limits.lanes.pushes);
export const fileLane = new SlowLane(limits.lanes.files);
export const turns = new EventLoopThrottle(limits.eventLoop.microsecondsPerTurn);
