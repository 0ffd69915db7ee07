import { readOptions } from '../options.ts';
import { withClient } from '../servers.ts';
import { withDatabase } from '../setting.ts';
import { type AskPage, openDesk, timed } from './open-desk.ts';
import { writeSigningKey } from './pushes/pushers.ts';

/**
 * How long a person waits at the desk for a file of 10,000 rows: for the page that says what it would change, and for the
 * values to be there, signed. First all are new, then each is another one.
 */
const { numbers, isSmoke } = readOptions({ rows: 10_000, metrics: 10 }, { rows: 200 });

/** In milliseconds, for both together. */
const bar = 5_000;

const path = '/desk/data/upload';

await withDatabase(async ({ url }, folder) => {
  await withClient(url, (client) =>
    client.query(`insert into company values ('co_1', 'Harbor', 'live', now())`),
  );
  await using desk = await openDesk(url, { SIGNING_KEY_FILE: writeSigningKey(folder) });
  await desk.service.operatorUseCases.registerSigningKey();
  const ask = await desk.signIn({ companyId: 'co_1' });
  const created = await upload(url, ask, 1);
  const revised = await upload(url, ask, 2);
  process.stdout.write(`${JSON.stringify({ ...numbers, bar, created, revised })}\n`);
  // A smoke run shows that the script works; its times tell nothing.
  if (!isSmoke && Math.max(created.whole, revised.whole) > bar) process.exitCode = 1;
});

function fileOf(amount: number): string {
  const periods = Math.ceil(numbers.rows / numbers.metrics);
  const rows = Array.from({ length: numbers.rows }, (_, index) => {
    const day = new Date(Date.UTC(1990, 0, 1 + (index % periods))).toISOString().slice(0, 10);
    const key = `metric_${Math.floor(index / periods)}`;
    return `${key},USD,${day},${index}.${amount},Ledger,file,2026-11-02T08:00:00Z`;
  });
  const header = 'key,currency,period,raw_value,source.system,source.method,source.last_synced';
  return [header, ...rows, ''].join('\n');
}

async function upload(url: string, ask: AskPage, amount: number) {
  const form = formIn(await ask(path), path);
  form.append('file', new Blob([fileOf(amount)]), 'metrics.csv');
  let page = '';
  const preview = await timed(async () => {
    page = await ask(path, form);
  });
  const last = formIn(page, '/desk/data/push');
  const push = await timed(() => ask('/desk/data/push', last));
  const { rowCount } = await withClient(url, (client) =>
    client.query(`select from metric_point
      where signature is not null and raw_value::text like '%.${amount}%' and revision = ${amount}`),
  );
  if (rowCount !== numbers.rows) throw new Error(`${rowCount} of ${numbers.rows} rows are there`);
  return { preview, push, whole: preview + push };
}

/** The fields that a browser sends of itself. */
function formIn(page: string, action: string): FormData {
  const found = new RegExp(`<form method="post" action="${action}"[^>]*>(.*?)</form>`, 's');
  const fields = found.exec(page)?.[1] ?? '';
  const form = new FormData();
  for (const [input] of fields.matchAll(/<input type="hidden"[^>]*>/g)) {
    const name = / name="([^"]*)"/.exec(input)?.[1] ?? '';
    form.append(name, / value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  if ([...form].length === 0) throw new Error(`no form for ${action} on: ${page.slice(0, 2_000)}`);
  return form;
}
