export type { FixedIds } from './ids.ts';
export { demoInstructions, startMessage } from './instructions.ts';
export { type DemoSignIn, type DemoState, seedDemo, signInToDemo } from './seed.ts';
