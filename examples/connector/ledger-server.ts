// Simulates an accounting API. Returns the rows of ledger.csv, two rows per page.
// node ledger-server.ts [port]
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { rowsOf } from './connector.ts';

const pageSize = 2;
const rows = rowsOf(await readFile(new URL('ledger.csv', import.meta.url), 'utf8'));

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname !== '/balances') return response.writeHead(404).end();
  const from = Number(searchParams.get('from') ?? 0);
  const end = from + pageSize;
  const page = { balances: rows.slice(from, end), next: end < rows.length ? end : null };
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page));
});
server.listen(Number(process.argv[2] ?? 4010), '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : address;
  console.log(`http://127.0.0.1:${port}/balances`);
});
