import type { RoleNames } from '#db';
import { refuseNewer } from '../../gateway/schema.ts';
import { command } from '../command.ts';
import { flag } from '../options.ts';
import { defaultNames } from './roles.ts';

const pingMilliseconds = 5_000;

/** Returns null if no role is outdated. */
function rolesCommand(outdated: Partial<RoleNames> | null): string | null {
  if (outdated === null) return null;
  const named = Object.entries(outdated).filter(
    ([kind, name]) => name !== defaultNames[kind as keyof RoleNames],
  );
  return `portfolio-access roles --apply${named.map(([kind, name]) => ` --${kind} ${name}`).join('')}`;
}

export const commands = command('migrate', 'update the schema of the database', {
  examples: ['', '--down'],
  parameters: { down: flag('--down', 'undo the last migration') },
  anySchema: true,
  async run({ database }, { down }) {
    refuseNewer(await database.schemaState());
    if (down) await database.migrateDown();
    else {
      await database.migrate();
      // Reads the time of the database server, because the clock of this machine can be wrong.
      await database.ping(pingMilliseconds);
      await database.createPartitionsAhead(database.clock.now());
    }
    const { pending } = await database.schemaState();
    if (pending.length > 0)
      return { json: { pending }, text: `Not applied: ${pending.join(', ')}` };
    const next = rolesCommand(await database.outdatedRoles());
    const text = 'The schema is up to date.';
    if (next === null) return { json: { pending }, text };
    return {
      json: { pending, next },
      text: `${text}\nThe roles of the service lack rights now. Run this next, as the owner: ${next}`,
    };
  },
});
