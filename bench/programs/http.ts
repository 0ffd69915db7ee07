import { hash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { given } from './given.ts';
import { type Budget, budgetHeaders } from './limiter.ts';
import { statusOf } from './sql.ts';

export interface Question {
  readonly digest: Buffer;
  readonly companyId: string;
  readonly requestId: string;
}

export interface Reply {
  readonly outcome: string;
  readonly body: string | null;
  readonly limit: number | null;
  readonly budget: Budget;
}

const path = /^\/v1\/companies\/(co_[\w-]{1,64})\/metrics$/;

export function serve(answer: (question: Question) => Promise<Reply>): void {
  createServer((request, response) => {
    handle(request, response).catch((error) => {
      process.stderr.write(`${error}\n`);
      response.writeHead(500).end();
    });
  }).listen(given.port, '127.0.0.1');

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = `req_${randomUUID()}`;
    const companyId = path.exec(request.url ?? '')?.[1];
    if (companyId === undefined) return refuse(response, 404, requestId, 'route_not_found');
    const credential = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const digest = hash('sha256', credential, 'buffer');
    const { outcome, body, limit, budget } = await answer({ digest, companyId, requestId });
    if (body === null) return refuse(response, statusOf[outcome] ?? 500, requestId, outcome);
    if (budget.spent > (limit ?? 600)) return refuse(response, 429, requestId, 'rate_limited');
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'svc-request-id': requestId,
      ...budgetHeaders(limit ?? 600, budget),
    });
    response.end(body);
  }
}

function refuse(response: ServerResponse, status: number, requestId: string, code: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'svc-request-id': requestId,
  });
  response.end(JSON.stringify({ error: { code, request_id: requestId } }));
}
