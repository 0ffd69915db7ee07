import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import {
  type AccessEventType,
  accessEventTypes,
  accessRequestStatuses,
  environments,
  isScope,
  type Scope,
  scopes,
} from '#core';

/**
 * A command of a group, with --json and with examples under its help.
 *
 * @param examples what follows the name of the command, each in a line of its own
 */
export function addCommand(
  parent: Command,
  name: string,
  description: string,
  examples: readonly string[],
): Command {
  const path = [...groupsOf(parent), name].join(' ');
  const lines = examples.map((rest) => `  $ portfolio-access ${path} ${rest}`.trimEnd());
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nExamples:\n${lines.join('\n')}`);
}

/** The names of the groups that a command stands in, the program's own left out. */
function groupsOf(command: Command): string[] {
  return command.parent === null ? [] : [...groupsOf(command.parent), command.name()];
}

export const environmentOption = () =>
  new Option('--env <environment>', 'the world that it belongs to')
    .choices(environments)
    .makeOptionMandatory();

export const statusOption = () =>
  new Option('--status <status>', 'only those that have this status now').choices(
    accessRequestStatuses,
  );

/** The parsers of option values: text that does not parse is a usage error; what is allowed, the core decides. */

export function parseScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !isScope(name));
  if (unknown.length > 0) {
    throw new InvalidArgumentError(
      `Unknown: ${unknown.map((name) => `"${name}"`).join(', ')}. Scopes are ${scopes.join(', ')}.`,
    );
  }
  return names.filter(isScope);
}

export function parseEventTypes(text: string): AccessEventType[] {
  const types = z.array(z.enum(accessEventTypes)).safeParse(text.split(','));
  if (!types.success) {
    throw new InvalidArgumentError(`Types are ${accessEventTypes.join(', ')}.`);
  }
  return types.data;
}

const instant = z.iso.datetime({ offset: true });
const day = z.iso.date();

/** An RFC 3339 instant with its offset, or the start of a day in UTC. */
export function parseInstant(text: string): Date {
  const upper = text.toUpperCase();
  const isInstant = instant.safeParse(upper).success || day.safeParse(upper).success;
  const date = new Date(isInstant ? upper : Number.NaN);
  if (Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError(
      'It must be a day like 2027-01-31 or an instant with its offset like 2027-01-31T18:00:00+01:00.',
    );
  }
  return date;
}

/** The start of a day like 2026-01-31, in UTC. */
export function parseDay(text: string): Date {
  if (!day.safeParse(text).success) {
    throw new InvalidArgumentError('It must be a day like 2026-01-31.');
  }
  return new Date(text);
}

const unitMilliseconds: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `0`, `90s`, `30m`, `24h` or `7d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count = '', unit] = /^(\d{1,6})([smhd])?$/.exec(text) ?? [];
  const milliseconds = Number(count) * (unit === undefined ? 1 : (unitMilliseconds[unit] ?? 1));
  if (count === '' || (unit === undefined && milliseconds !== 0)) {
    throw new InvalidArgumentError(
      'It must be 0 or a number with s, m, h or d, like 30m, 24h or 7d.',
    );
  }
  return milliseconds;
}

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
