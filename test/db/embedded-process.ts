import { once } from 'node:events';
import { openDatabase } from '#db';

/**
 * Runs an embedded database in a separate process for tests that need two, and prints `open`. The
 * task `write` then adds investors and prints their ids. The process closes the database when its
 * input ends.
 */
const [dataDir = '', role, task] = process.argv.slice(2);

const database = await openDatabase({
  databaseUrl: null,
  dataDir,
  role: role === 'service' ? 'service' : 'command',
});
await database.migrate();
console.log('open');

let ended = false;
process.stdin.resume();
const end = once(process.stdin, 'end').then(() => {
  ended = true;
});
if (task === 'write') {
  for (let count = 0; !ended; count += 1) {
    const id = `inv_${process.pid}_${count}`;
    const createdAt = new Date();
    await database.repositories.directory.addInvestor(
      {
        id,
        name: 'N'.repeat(200),
        environment: 'live',
        createdAt,
        suspendedAt: null,
      },
      [],
      [],
    );
    console.log(id);
  }
}
await end;
await database.close();
console.log('closed');
