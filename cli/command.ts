import type { Command } from 'commander';
import type { Composition } from '../gateway/compose.ts';
import type { CliContext, OpenOptions } from './context.ts';
import type { Parameter } from './options.ts';
import { type CommandResult, print } from './output.ts';

/** Adds a command, or a group of them, to the program or to another group. */
export type AddCommand = (parent: Command, context: CliContext) => Command;

type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The values of the parameters, by the names that the use cases have for them. */
type Given<Takes> = {
  readonly [Name in keyof Takes]: Takes[Name] extends Parameter<infer Value> ? Value : never;
};

interface CommandParts<Takes> {
  /** What follows the name of the command, each in a line of its own. */
  readonly examples: readonly string[];
  /** Stands in the help below the examples. */
  readonly explanation?: string;
  readonly takes?: Takes;
}

interface DatabaseCommand<Takes> extends CommandParts<Takes>, OpenOptions {
  run(composition: Composition, given: Given<Takes>, context: CliContext): Promise<CommandResult>;
}

interface FreeCommand<Takes> extends CommandParts<Takes> {
  /** False where stdout is for what another program reads. */
  readonly hasJson?: boolean;
  act(
    given: Given<Takes>,
    context: CliContext,
    show: (result: CommandResult) => Promise<void>,
  ): Promise<void>;
}

/**
 * A command that works over an open database; with --json it prints exactly one document. The result is printed before
 * the database is closed, because a secret must not be lost when closing fails.
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

/** A command that opens the database itself, if it needs it. */
export function freeCommand<const Takes extends Parameters>(
  name: string,
  description: string,
  { examples, explanation, takes, hasJson = true, act }: FreeCommand<Takes>,
): AddCommand {
  return (parent, context) => {
    const path = [...groupsOf(parent), name].join(' ');
    const lines = examples.map((rest) => `  $ portfolio-access ${path} ${rest}`.trimEnd());
    const added = parent
      .command(name)
      .description(description)
      .addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
    if (hasJson) added.option('--json', 'print one JSON document');
    if (explanation !== undefined) added.addHelpText('after', explanation);
    const parameters = Object.entries(takes ?? {});
    for (const [, parameter] of parameters) parameter.addTo(added);
    return added.action(() => {
      const given = parameters.map(([key, parameter]) => [key, parameter.valueIn(added)]);
      return act(Object.fromEntries(given), context, (result) => print(context, added, result));
    });
  };
}

/** Commands that have the first word in common. */
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

/** The names of the groups that a command stands in, the program's own left out. */
function groupsOf(command: Command): string[] {
  return command.parent === null ? [] : [...groupsOf(command.parent), command.name()];
}
