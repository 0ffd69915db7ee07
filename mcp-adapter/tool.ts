import type { z } from 'zod';
import type { Scope } from '#core';
import type { Context } from './context.ts';

/** What an agent can do: what tells it so, and what does it, in one place. */
export interface Tool<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodObject = z.ZodObject,
> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Without it in its key an agent is not shown the tool; absent: any valid key. */
  readonly scope?: Scope;
  readonly effect: Effect;
  /** Whether its answer may be long in coming, and is sent as a stream, which holds up nothing else of its caller. */
  readonly waits?: true;
  /** The question to the user before the call, if the host can ask, and the result if the user doesn't agree. */
  readonly consent?: {
    question(input: z.output<Input>): string;
    readonly declined: z.output<Output>;
  };
  /** As the use case checks it. */
  readonly input: Input;
  /** What it answers unless it is refused; the tests hold every answer to it. */
  readonly output: Output;
  call(context: Context, input: z.input<Input>): Promise<z.output<Output>>;
}

/** What a call changes, in the words by which hosts decide whether to ask their user first. */
export const effects = {
  reads: { readOnlyHint: true, idempotentHint: true },
  asks: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  'gives up': { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
} as const;

type Effect = keyof typeof effects;

/** Gives a tool the types of its schemas. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Tool<Input, Output>,
): Tool => definition as unknown as Tool;
