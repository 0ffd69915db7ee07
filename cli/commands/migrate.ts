import type { Command } from 'commander';
import { refuseNewer } from '../../gateway/schema.ts';
import type { CliContext } from '../context.ts';
import { addCommand } from '../options.ts';
import { action } from '../output.ts';

const pingMilliseconds = 5_000;

export function addMigrateCommand(program: Command, context: CliContext): void {
  const description = 'bring the schema of the database up to date';
  addCommand(program, 'migrate', description, ['', '--down'])
    .option('--down', 'take the last migration back')
    .action(
      action(
        context,
        async ({ database }, { down = false }: { down?: boolean }) => {
          refuseNewer(await database.schemaState());
          if (down) await database.migrateDown();
          else {
            await database.migrate();
            // The server tells the time; this machine's may be another.
            await database.ping(pingMilliseconds);
            await database.createPartitionsAhead(database.clock.now());
          }
          const { pending } = await database.schemaState();
          const isDone = pending.length === 0;
          return {
            json: { pending },
            text: isDone ? 'The schema is up to date.' : `Not applied: ${pending.join(', ')}`,
          };
        },
        { anySchema: true },
      ),
    );
}
