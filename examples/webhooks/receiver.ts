// Receives webhooks. Checks the signature and the time of each message, and handles each message once.
// SECRET=whsec_… node receiver.ts
import { createServer, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { Webhook } from 'standardwebhooks';

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly access_request?: { readonly id: string; readonly status: string } };
}

const { SECRET, PORT = '8080', DATABASE = 'received.db' } = process.env;
if (!SECRET) {
  console.error('SECRET must be set to the secret of the endpoint');
  process.exit(1);
}
const maxBytes = 1_048_576;
// Rejects messages with an invalid signature or older than five minutes, so that an attacker can't send a recorded
// message again.
const webhook = new Webhook(SECRET);
const database = new DatabaseSync(DATABASE);
database.exec(
  'CREATE TABLE IF NOT EXISTS received (id TEXT PRIMARY KEY, at TEXT NOT NULL, type TEXT NOT NULL)',
);
const remember = database.prepare('INSERT OR IGNORE INTO received VALUES (?, ?, ?)');

/** Put your work here. This database stores the work and the message's ID in one transaction. */
function handle({ type, data }: Message): void {
  const { id, status } = data.access_request ?? {};
  console.log([type, id, status].filter((part) => part !== undefined).join(' '));
}

/** The same message can arrive twice, even at the same time, with the same ID. */
function handleOnce(id: string, message: Message): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const { changes } = remember.run(id, message.timestamp, message.type);
    if (changes === 1) handle(message);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > maxBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** Without a 2xx status, the service sends the message again, for up to four days. */
async function receive(request: IncomingMessage): Promise<number> {
  const body = await readBody(request);
  if (body === null) return 413;
  try {
    // The signature covers the body as received.
    webhook.verify(body, request.headers as Record<string, string>);
  } catch {
    return 400;
  }
  handleOnce(String(request.headers['webhook-id']), JSON.parse(body));
  return 204;
}

const server = createServer(async (request, response) => {
  const status = await receive(request).catch((error: unknown) => {
    console.error(error);
    return 500;
  });
  response.writeHead(status, status === 413 ? { connection: 'close' } : {}).end();
});
server.listen(Number(PORT), '127.0.0.1', () => console.log('listening'));
