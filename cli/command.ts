import type { Command } from 'commander';
import type { Composition } from '../gateway/compose.ts';
import type { CliContext, OpenOptions } from './context.ts';
import type { Parameter } from './options.ts';
import { type CommandResult, print } from './output.ts';

/** Adds a command or a group of commands to `parent`. */
export type AddCommand = (parent: Command, context: CliContext) => Command;

type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The use cases expect the values under the names of the parameters. */
type Args<Params> = {
  readonly [Name in keyof Params]: Params[Name] extends Parameter<infer Value> ? Value : never;
};

interface CommandParts<Params> {
  /** Example command lines for the help, without the name of the command. */
  readonly examples: readonly string[];
  /** Further text in the help, below the examples. */
  readonly explanation?: string;
  readonly parameters?: Params;
}

interface DatabaseCommand<Params> extends CommandParts<Params>, OpenOptions {
  run(composition: Composition, args: Args<Params>, context: CliContext): Promise<CommandResult>;
}

interface FreeCommand<Params> extends CommandParts<Params> {
  /** Describes the output of --json. */
  readonly json?: string;
  act(
    args: Args<Params>,
    context: CliContext,
    show: (result: CommandResult) => Promise<void>,
  ): Promise<void>;
}

/**
 * A command that uses an open database. Prints the result before it closes the database, so that users see a new secret
 * even if closing fails.
 */
export function command<const Params extends Parameters>(
  name: string,
  description: string,
  { run, anySchema = false, ...parts }: DatabaseCommand<Params>,
): AddCommand {
  return freeCommand(name, description, {
    ...parts,
    act: (args, context, show) =>
      context.withComposition(async (composition) => show(await run(composition, args, context)), {
        anySchema,
      }),
  });
}

/** A command that runs without an open database, or opens the database itself. */
export function freeCommand<const Params extends Parameters>(
  name: string,
  description: string,
  { examples, explanation, parameters, json = 'one JSON document', act }: FreeCommand<Params>,
): AddCommand {
  return (parent, context) => {
    const path = [...groupsOf(parent), name].join(' ');
    const lines = examples.map((rest) => `  $ portfolio-access ${path} ${rest}`.trimEnd());
    const added = parent
      .command(name)
      .description(description)
      .addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
      .option('--json', `print ${json}`);
    if (explanation !== undefined) added.addHelpText('after', explanation);
    const entries = Object.entries(parameters ?? {});
    for (const [, parameter] of entries) parameter.addTo(added);
    return added.action(() => {
      const args = entries.map(([key, parameter]) => [key, parameter.valueIn(added)]);
      return act(Object.fromEntries(args), context, (result) => print(context, added, result));
    });
  };
}

export function group(
  name: string,
  description: string,
  ...commands: readonly AddCommand[]
): AddCommand {
  return (parent, context) => {
    const added = parent.command(name).description(description);
    for (const add of commands) add(added, context);
    return added;
  };
}

function groupsOf(command: Command): string[] {
  return command.parent === null ? [] : [...groupsOf(command.parent), command.name()];
}
