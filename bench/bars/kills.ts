import { once } from 'node:events';
import { createRandom } from '../data/random.ts';
import { defaultSizes } from '../data/sizes.ts';
import { startReaders } from '../load/readers.ts';
import { toBytes } from '../load/requests.ts';
import { describeMachine } from '../machine.ts';
import { readOptions } from '../options.ts';
import { startProgram } from '../program.ts';
import { writeReport } from '../report/index.ts';
import { writeResult } from '../results.ts';
import { withClient } from '../servers.ts';
import { type Setting, say, seed, settle, withSetting } from '../setting.ts';
import { workloads } from '../workloads.ts';

/**
 * Kills the service again and again while it is under load. Of every answer with data of which so much as the headers
 * came, the access record must be there, found by the id of the request.
 */
const { numbers, out, isSmoke } = readOptions(
  { kills: 100, connections: 64 },
  { kills: 3, connections: 16 },
);
const { kills, connections } = numbers;
const random = createRandom(seed);

await withSetting({ ...defaultSizes, points: 260_000, requests: 0 }, async (setting) => {
  const machine = await describeMachine();
  let reads = 0;
  let missing = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    await settle(setting.databaseUrl);
    const ids = await readUntilKilled(setting, 200 + random.below(1_000));
    const lost = await countMissing(setting, ids);
    reads += ids.length;
    missing += lost;
    say(`kill ${kill}: ${ids.length} answers, ${lost} without a record`);
  }
  writeResult(out, 'kills', {
    machine,
    command: ['node bench/bars/kills.ts', ...process.argv.slice(2)].join(' '),
    isSmoke,
    kills,
    connections,
    reads,
    missing,
  });
  say(`the report is in ${writeReport(out)}`);
  if (missing > 0 || reads === 0) process.exitCode = 1;
});

async function readUntilKilled(setting: Setting, milliseconds: number): Promise<string[]> {
  const service = await startProgram('ours', setting);
  const requests = workloads.metrics.requests(setting.world, 'ours').map(toBytes);
  const ids: string[] = [];
  const readers = startReaders<Buffer>({
    ports: [service.port],
    connections,
    next: () => random.pick(requests),
    bytesOf: (bytes) => bytes,
    onRead: () => undefined,
    onHead(status, head) {
      const id = /\r\nsvc-request-id: *(\S+)/i.exec(head)?.[1];
      if (status !== 200 || id === undefined) throw new Error(`an answer with status ${status}`);
      ids.push(id);
    },
  });
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  service.child.kill('SIGKILL');
  await once(service.child, 'exit');
  await readers.stop();
  return ids;
}

async function countMissing({ databaseUrl }: Setting, ids: readonly string[]): Promise<number> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query(
      `select count(*) from unnest($1::text[]) as read (request_id)
        where not exists (
          select from access_record_text
          where access_record_text.request_id = read.request_id and outcome = 'allowed'
        )`,
      [ids],
    ),
  );
  return Number(rows[0].count);
}
