import type { Database, RoleRights } from '#db';
import { runPeriodically } from './run-periodically.ts';

const checkMilliseconds = 1_000;

/** Describes the roles that lack rights, for the start and for `doctor`. Null if no rights are missing. */
export function describeRights(
  lacking: readonly RoleRights[],
): { readonly message: string; readonly advice: string } | null {
  if (lacking.length === 0) return null;
  const words = lacking.map(({ role, missing }) => `${role} lacks rights: ${listOf(missing)}`);
  return {
    message: words.join('; '),
    advice: 'run as the owner of the schema: portfolio-access roles --apply',
  };
}

const shownNames = 8;

export function listOf(names: readonly string[]): string {
  const more = names.length - shownNames;
  const shown = names.slice(0, shownNames).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const insufficientPrivilege = '42501';

/** A role without rights may not even read the schema version. */
export function returnIfRightsMissing(error: unknown): 'rights_missing' {
  if ((error as { code?: unknown } | null)?.code === insufficientPrivilege) return 'rights_missing';
  throw error;
}

/** The warning if requests and background work share one database role. Shown at the start and in `doctor`. */
export const oneRole = {
  message: 'requests and background work share one role: injected SQL could read every row',
  advice:
    'use the roles that portfolio-access roles creates, in DATABASE_URL and DATABASE_BACKGROUND_URL',
} as const;

/** Serves no caller until all rights exist. Without rights, no row is visible, so every API key would seem unknown. */
export function awaitRights(database: Pick<Database, 'missingRights'>, areThere: boolean) {
  let mayServe = areThere;
  const looking = areThere
    ? null
    : runPeriodically(
        async () => {
          mayServe = (await database.missingRights()).length === 0;
          if (mayServe) void looking?.stop();
        },
        checkMilliseconds,
        // Ignores an outage, because `/readyz` reports it.
        () => undefined,
      );
  return {
    mayServe: () => mayServe,
    stop: async () => {
      await looking?.stop();
    },
  };
}
