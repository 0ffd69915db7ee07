export { greet, introduce } from './greeting.ts';
export { type DemoState, seedDemo } from './seed.ts';
