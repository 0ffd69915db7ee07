export { matchesEtag } from './etag.ts';
export { KeyedSemaphore } from './keyed-semaphore.ts';
export { paceLongBodies, toBody } from './long-bodies.ts';
export { type StaticContent, serveStatic } from './static-content.ts';
export { TimeSlice, WorkPerTurn } from './turn.ts';
