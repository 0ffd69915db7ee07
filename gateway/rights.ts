import type { Database, RoleRights } from '#db';
import { runPeriodically } from './run-periodically.ts';

const lookMilliseconds = 1_000;

/** What is said, at the start and by doctor, of roles that lack rights; null when none does. */
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

/** Longer lists are seldom read to their end. */
const shownNames = 8;

export function listOf(names: readonly string[]): string {
  const more = names.length - shownNames;
  const shown = names.slice(0, shownNames).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const insufficientPrivilege = '42501';

/** A role without any right may not even ask which schema there is. */
export function orRightsMissing(error: unknown): 'rights_missing' {
  if ((error as { code?: unknown } | null)?.code === insufficientPrivilege) return 'rights_missing';
  throw error;
}

/** What is said, at the start and by doctor, where one role does all. */
export const oneRole = {
  message:
    'requests and all other work of the service share one role: what gets into a statement of a request can read every row',
  advice:
    'serve as the roles that portfolio-access roles makes: DATABASE_URL and DATABASE_BACKGROUND_URL',
} as const;

/**
 * Looks until the rights that were missing at the start are there. Meanwhile nobody may be answered: with rows that it may
 * not see, the service would take every key for an unknown one.
 */
export function awaitRights(database: Pick<Database, 'missingRights'>, areThere: boolean) {
  let mayServe = areThere;
  const looking = areThere
    ? null
    : runPeriodically(
        async () => {
          mayServe = (await database.missingRights()).length === 0;
          if (mayServe) void looking?.stop();
        },
        lookMilliseconds,
        // What is away is told by the readiness.
        () => undefined,
      );
  return {
    mayServe: () => mayServe,
    stop: async () => {
      await looking?.stop();
    },
  };
}
