import { createServer } from 'node:http';
import { given } from './given.ts';

/** Sends a constant response. Its speed shows the limit of the machine, Node and the load generator. */
const body = JSON.stringify({ object: 'list', data: 'x'.repeat(4_600) });

createServer((_request, response) => {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.length,
  });
  response.end(body);
}).listen(given.port, '127.0.0.1');
