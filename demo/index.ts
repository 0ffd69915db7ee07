export type { GivenIds } from './ids.ts';
export { demoInstructions, startMessage } from './instructions.ts';
export { type DemoState, seedDemo } from './seed.ts';
export { signInToDemo } from './sign-in.ts';
