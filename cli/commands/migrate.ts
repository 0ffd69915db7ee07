import type { RoleNames } from '#db';
import { refuseNewer } from '../../gateway/schema.ts';
import { command } from '../command.ts';
import { flag } from '../options.ts';
import { defaultNames } from './roles.ts';

const pingMilliseconds = 5_000;

/** Names the roles that have other names; null when nothing is to be done. */
function rolesCommand(outdated: Partial<RoleNames> | null): string | null {
  if (outdated === null) return null;
  const named = Object.entries(outdated).filter(
    ([kind, name]) => name !== defaultNames[kind as keyof RoleNames],
  );
  return `portfolio-access roles --apply${named.map(([kind, name]) => ` --${kind} ${name}`).join('')}`;
}

export const commands = command('migrate', 'bring the schema of the database up to date', {
  examples: ['', '--down'],
  takes: { down: flag('--down', 'take the last migration back') },
  anySchema: true,
  async run({ database }, { down }) {
    refuseNewer(await database.schemaState());
    if (down) await database.migrateDown();
    else {
      await database.migrate();
      // The server tells the time; this machine's may be another.
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
      text: `${text}\nThe roles of the service lack rights now. Next, as the owner: ${next}`,
    };
  },
});
