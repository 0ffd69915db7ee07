import { createServer } from 'node:http';
import { given } from './given.ts';

/** Answers at once, but stands still for half a second in every three: a load generator must not overlook that. */
setInterval(() => {
  const until = Date.now() + 500;
  while (Date.now() < until);
}, 3_000);

createServer((_request, response) => response.end('ready')).listen(given.port, '127.0.0.1');
