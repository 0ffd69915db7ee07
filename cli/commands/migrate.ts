import type { Command } from 'commander';
import { refuseNewer } from '../../gateway/schema.ts';
import type { CliContext } from '../context.ts';
import { addCommand } from '../options.ts';
import { action } from '../output.ts';

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
            await database.createPartitionsAhead(new Date());
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
