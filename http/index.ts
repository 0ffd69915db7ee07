export { KeyedSemaphore } from './keyed-semaphore.ts';
export { TimeSlice, WorkPerTurn } from './turn.ts';
