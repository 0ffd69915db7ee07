import type { z } from 'zod';
import type { Scope } from '#core';
import type { Context } from './context.ts';

/** A tool: its description for agents and its implementation. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scope that a key needs to see the tool. Absent: any key. */
  readonly scope?: Scope;
  readonly effect: Effect;
  /** True if the response may take long. It is then sent as a stream, which blocks nothing else of the caller. */
  readonly waits?: true;
  /** The question to the user before the call, if the host can ask, and the result if the user doesn't agree. */
  readonly consent?: {
    question(input: z.output<Input>): string;
    readonly declined: object;
  };
  /** Checked by the use case. */
  readonly input: Input;
  call(context: Context, input: z.input<Input>): Promise<object>;
}

/** The effects of a call, in the terms by which hosts decide whether to ask the user first. */
export const effects = {
  reads: { readOnlyHint: true, idempotentHint: true },
  asks: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  'gives up': { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
} as const;

type Effect = keyof typeof effects;

/** Infers the type of a tool's input from its schema. */
export const tool = <Input extends z.ZodObject>(definition: Tool<Input>): Tool =>
  definition as unknown as Tool;
