import type { Command } from 'commander';
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
          await (down ? database.migrateDown() : database.migrate());
          const migrated = await database.isMigrated();
          const text = migrated ? 'The schema is up to date.' : 'The last migration is taken back.';
          await sayAnswer(host, command, { json: { migrated }, text });
        },
        { anySchema: true },
      ),
    );
}
