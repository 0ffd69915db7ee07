import { type Command, Option } from 'commander';
import { accessRequestStatuses, environments } from '#core';

/** Options that more than one command has. */

export const environmentOption = () =>
  new Option('--env <environment>', 'the world that it belongs to')
    .choices(environments)
    .makeOptionMandatory();

export const statusOption = () =>
  new Option('--status <status>', 'only those that have this status now').choices(
    accessRequestStatuses,
  );

/** A command of a group, with --json and examples under its help. */
export function addCommand(
  parent: Command,
  {
    name,
    description,
    examples,
  }: { name: string; description: string; examples: readonly string[] },
): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ ${line}`).join('\n')}`);
}
