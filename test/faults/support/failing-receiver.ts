import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

export class FailingReceiver {
  readonly secrets = new Map<string, string>();
  readonly bodies = new Map<string, string>();
  readonly calls = { accepted: 0, failed: 0, changed: 0 };
  #server: Server | undefined;
  #count = 0;
  url = '';

  async listen(port: number): Promise<void> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request.setEncoding('utf8')) body += piece;
      this.#count += 1;
      if (this.#count % 3 === 0) {
        this.calls.failed += 1;
        response.writeHead(500).end();
        return;
      }
      const path = request.url ?? '';
      const headers = request.headers as Record<string, string>;
      new Webhook(this.secrets.get(path) ?? '').verify(body, headers);
      const name = `${path} ${headers['webhook-id']}`;
      if ((this.bodies.get(name) ?? body) !== body) this.calls.changed += 1;
      this.bodies.set(name, body);
      this.calls.accepted += 1;
      response.writeHead(204).end();
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  async restart(): Promise<void> {
    this.close();
    await wait(500);
    await this.listen(Number(new URL(this.url).port));
  }

  /** Waits for all expected calls, then a little longer for unexpected ones. */
  async settle(expected: number): Promise<void> {
    const givesUpAt = Date.now() + 180_000;
    while (this.bodies.size < expected && Date.now() < givesUpAt) await wait(200);
    await wait(2_000);
  }
}
