import type { z } from 'zod';
import type { Scope } from '#core';
import type { Context } from './context.ts';

export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Keys without this scope don't see the tool. */
  readonly scope?: Scope;
  readonly effect: Effect;
  /** True if the call waits. Its response is a stream, which holds none of the caller's permits. */
  readonly waits?: true;
  /** The question to the user before the call, and the result if the user declines. Skipped if the host can't ask. */
  readonly consent?: {
    question(input: z.output<Input>): string;
    readonly declined: object;
  };
  /** The use case checks the values. */
  readonly input: Input;
  call(context: Context, input: z.input<Input>): Promise<object>;
}

/** The hints by which hosts decide whether to ask the user before a call. */
export const effects = {
  reads: { readOnlyHint: true, idempotentHint: true },
  asks: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  'gives up': { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
} as const;

type Effect = keyof typeof effects;

/** Infers the type of the input from the schema. */
export const tool = <Input extends z.ZodObject>(definition: Tool<Input>): Tool =>
  definition as unknown as Tool;
