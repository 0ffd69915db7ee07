import type { Command } from 'commander';
import type { Composition } from '../gateway/compose.ts';
import type { CliContext, OpenOptions } from './context.ts';
import type { Parameter } from './options.ts';
import { type CommandResult, print } from './output.ts';

/** Adds a command, or a group of them, to the program or to another group. */
export type AddCommand = (parent: Command, context: CliContext) => Command;

type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The values of the parameters, under the names that the use cases expect. */
type Given<Takes> = {
  readonly [Name in keyof Takes]: Takes[Name] extends Parameter<infer Value> ? Value : never;
};

interface CommandParts<Takes> {
  /** The arguments of each example. The help shows them after the name of the command. */
  readonly examples: readonly string[];
  /** Shown in the help, below the examples. */
  readonly explanation?: string;
  readonly takes?: Takes;
}

interface DatabaseCommand<Takes> extends CommandParts<Takes>, OpenOptions {
  run(composition: Composition, given: Given<Takes>, context: CliContext): Promise<CommandResult>;
}

interface FreeCommand<Takes> extends CommandParts<Takes> {
  /** Describes the output of --json. Null removes the option, because another program reads the stdout. */
  readonly json?: string | null;
  act(
    given: Given<Takes>,
    context: CliContext,
    show: (result: CommandResult) => Promise<void>,
  ): Promise<void>;
}

/**
 * A command that uses an open database. With --json it prints exactly one document. It prints the result before it
 * closes the database, so a failure to close can't lose a secret.
 */
export function command<const Takes extends Parameters>(
  name: string,
  description: string,
  { run, anySchema = false, ...parts }: DatabaseCommand<Takes>,
): AddCommand {
  return freeCommand(name, description, {
    ...parts,
    act: (given, context, show) =>
      context.withComposition(async (composition) => show(await run(composition, given, context)), {
        anySchema,
      }),
  });
}

/** A command that opens the database itself if necessary. */
export function freeCommand<const Takes extends Parameters>(
  name: string,
  description: string,
  { examples, explanation, takes, json = 'one JSON document', act }: FreeCommand<Takes>,
): AddCommand {
  return (parent, context) => {
    const path = [...groupsOf(parent), name].join(' ');
    const lines = examples.map((rest) => `  $ portfolio-access ${path} ${rest}`.trimEnd());
    const added = parent
      .command(name)
      .description(description)
      .addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
    if (json !== null) added.option('--json', `print ${json}`);
    if (explanation !== undefined) added.addHelpText('after', explanation);
    const parameters = Object.entries(takes ?? {});
    for (const [, parameter] of parameters) parameter.addTo(added);
    return added.action(() => {
      const given = parameters.map(([key, parameter]) => [key, parameter.valueIn(added)]);
      return act(Object.fromEntries(given), context, (result) => print(context, added, result));
    });
  };
}

/** Commands that share their first word. */
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

/** Returns the names of the groups that contain a command, without the name of the program. */
function groupsOf(command: Command): string[] {
  return command.parent === null ? [] : [...groupsOf(command.parent), command.name()];
}
