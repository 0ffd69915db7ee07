import type { z } from 'zod';
import type { Scope } from '#core';
import type { Context } from './context.ts';

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scope that a key needs to see the tool in the list. */
  readonly scope?: Scope;
  readonly effect: Effect;
  /** True if the tool may wait long. Its response is then a stream, which keeps no concurrency permits. */
  readonly waits?: true;
  /** A question to the user before the call, and the result if the user says no. Some hosts can't ask questions. */
  readonly consent?: {
    question(input: z.output<Input>): string;
    readonly declined: object;
  };
  /** Only for the description, because the use case checks the values. */
  readonly input: Input;
  call(context: Context, input: z.input<Input>): Promise<object>;
}

/** Hosts use these hints to decide whether to ask the user before a call. */
export const effects = {
  reads: { readOnlyHint: true, idempotentHint: true },
  asks: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  'gives up': { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
} as const;

type Effect = keyof typeof effects;

export const tool = <Input extends z.ZodObject>(definition: Tool<Input>): Tool =>
  definition as unknown as Tool;
