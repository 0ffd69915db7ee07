import type { Command } from 'commander';
import { refuseNewer } from '../../gateway/schema.ts';
import { sayAnswer } from '../answer.ts';
import type { Host } from '../host.ts';
import { addCommand } from '../options.ts';

export function addMigrateCommand(program: Command, host: Host): void {
  addCommand(program, {
    name: 'migrate',
    description: 'bring the schema of the database up to date',
    examples: ['portfolio-access migrate', 'portfolio-access migrate --down'],
  })
    .option('--down', 'take the last migration back')
    .action(({ down = false }: { down?: boolean }, command: Command) =>
      host.useComposition(
        async ({ database }) => {
          refuseNewer(await database.schemaState());
          if (down) await database.migrateDown();
          else {
            await database.migrate();
            await database.createPartitionsAhead(new Date());
          }
          const { pending } = await database.schemaState();
          const text =
            pending.length === 0
              ? 'The schema is up to date.'
              : `Not applied: ${pending.join(', ')}`;
          await sayAnswer(host, command, { json: { pending }, text });
        },
        { anySchema: true },
      ),
    );
}
