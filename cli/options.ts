import { type Command, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import {
  type CompanyScope,
  companyScopes,
  type Environment,
  type EventType,
  environments,
  eventTypes,
  isCompanyScope,
  isScope,
  type Scope,
  scopes,
} from '#core';

/** An argument or an option of a command. */
export interface Parameter<Value> {
  addTo(command: Command): void;
  valueIn(command: Command): Value;
}

/** For a repeated option, `before` is the result of the previous value. */
type Parse<Value> = (text: string, before?: Value) => Value;

/** @param name `<name>` for an argument, `[name]` for an optional argument, `<name...>` for several arguments */
export const argumentOf = <Value>(name: string, description: string): Parameter<Value> => ({
  addTo: (command) => command.argument(name, description),
  valueIn: (command) => command.processedArgs[0],
});

export const argument = argumentOf<string>;

export function parameterOf<Value>(option: Option): Parameter<Value> {
  return {
    addTo: (command) => command.addOption(option),
    valueIn: (command) => command.getOptionValue(option.attributeName()),
  };
}

function parsedOption<Value>(flags: string, description: string, parse?: Parse<Value>): Option {
  const option = new Option(flags, description);
  return parse === undefined ? option : option.argParser(parse);
}

export function required(flags: string, description: string): Parameter<string>;
export function required<Value>(
  flags: string,
  description: string,
  parse: Parse<Value>,
): Parameter<Value>;
export function required(flags: string, description: string, parse?: Parse<unknown>) {
  return parameterOf(parsedOption(flags, description, parse).makeOptionMandatory());
}

export function optional(flags: string, description: string): Parameter<string | undefined>;
export function optional<Value>(
  flags: string,
  description: string,
  parse: Parse<Value>,
): Parameter<Value | undefined>;
export function optional(flags: string, description: string, parse?: Parse<unknown>) {
  return parameterOf(parsedOption(flags, description, parse));
}

/** @param shown the default value as text for the help */
export function withDefault<Value>(
  flags: string,
  description: string,
  parse: Parse<Value>,
  value: Value,
  shown?: string,
): Parameter<Value> {
  return parameterOf(parsedOption(flags, description, parse).default(value, shown));
}

export function oneOf<const Value extends string>(
  flags: string,
  description: string,
  choices: readonly Value[],
): Parameter<Value | undefined> {
  return parameterOf(new Option(flags, description).choices(choices));
}

export function flag(flags: string, description: string): Parameter<boolean> {
  const option = new Option(flags, description);
  return {
    addTo: (command) => command.addOption(option),
    valueIn: (command) => command.getOptionValue(option.attributeName()) === true,
  };
}

export const ownerOptionsOf = (what: string) => ({
  companyId: parameterOf<string | undefined>(
    new Option('--company <id>', `${what} this company`).conflicts('investor'),
  ),
  investorId: optional('--investor <id>', `${what} this investor`),
});

export const environmentOption = parameterOf<Environment>(
  new Option('--env <environment>', 'the environment of the organisation')
    .choices(environments)
    .makeOptionMandatory(),
);

const scopesAmong =
  <S extends string>(allowedValues: readonly S[], isKnown: (name: string) => name is S) =>
  (text: string): S[] => {
    const names = text.split(',').map((name) => name.trim());
    const unknown = names.filter((name) => !isKnown(name));
    if (unknown.length > 0) {
      throw new InvalidArgumentError(
        `Unknown: ${unknown.map((name) => `"${name}"`).join(', ')}. Scopes are ${allowedValues.join(', ')}.`,
      );
    }
    return names.filter(isKnown);
  };

export const parseScopes = scopesAmong<Scope>(scopes, isScope);

export const parseCompanyScopes = scopesAmong<CompanyScope>(companyScopes, isCompanyScope);

export function parseEventTypes(text: string): EventType[] {
  const types = z.array(z.enum(eventTypes)).safeParse(text.split(','));
  if (!types.success) {
    throw new InvalidArgumentError(`Types are ${eventTypes.join(', ')}.`);
  }
  return types.data;
}

const instant = z.iso.datetime({ offset: true });
const day = z.iso.date();

/** Accepts an RFC 3339 time with an offset, or a date. A date means its first instant in UTC. */
export function parseInstant(text: string): Date {
  const upper = text.toUpperCase();
  const isInstant = instant.safeParse(upper).success || day.safeParse(upper).success;
  const date = new Date(isInstant ? upper : Number.NaN);
  if (Number.isNaN(date.getTime())) {
    throw new InvalidArgumentError(
      'It must be a date like 2027-01-31 or a time with its offset like 2027-01-31T18:00:00+01:00.',
    );
  }
  return date;
}

/** Returns the first instant of the date in UTC. */
export function parseDay(text: string): Date {
  if (!day.safeParse(text).success) {
    throw new InvalidArgumentError('It must be a date like 2026-01-31.');
  }
  return new Date(text);
}

const unitMilliseconds: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Converts a duration such as `30d` to milliseconds. */
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
