import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Statement } from './store.ts';

export type AddParameter<Input> = (read: (input: Input) => unknown) => RawBuilder<unknown>;

/** A placeholder for a parameter whose value depends on the input. */
class Parameter {
  readonly read: (input: never) => unknown;

  constructor(read: (input: never) => unknown) {
    this.read = read;
  }
}

/**
 * Returns a function that creates a statement. The statement is compiled only at its first use. Later uses only read
 * the parameter values from their input. Use `compiledOnce` for statements that run with each read, because compiling
 * takes three quarters of the time until such a statement is sent.
 */
export function compiledOnce<Input, Result>(
  build: (parameter: AddParameter<Input>) => RawBuilder<Result>,
): (input: Input) => Statement<Result> {
  let compiled: CompiledQuery<Result> | undefined;
  return (input) => ({
    compile(provider) {
      compiled ??= build((read) => sql.val(new Parameter(read))).compile(provider);
      const parameters = compiled.parameters.map((each) =>
        each instanceof Parameter ? each.read(input as never) : each,
      );
      return { ...compiled, parameters };
    },
  });
}
