import { once } from 'node:events';
import net from 'node:net';

/** The first message begins with its length and the version, four bytes each. */
const headLength = 8;

/** The fields of a FATAL error in PostgreSQL's message format. */
const refusal = 'SFATAL\0CXX000\0MTenant or user not found\0\0';

/**
 * A proxy for a server on a Unix socket. Like a pooler with many customers, it changes the role
 * name `role.tenant` to `role`. It doesn't share sessions.
 */
export async function startSharedPooler(target: { host: string; port: string; tenant: string }) {
  const roles = new Set<string>();
  const server = net.createServer((client) => {
    client.on('error', () => undefined);
    client.once('data', (chunk) => {
      const first = Buffer.from(chunk);
      const parameters = first.toString('latin1', headLength);
      const [suffixed = '', role] =
        new RegExp(`user\0([^\0]*)\\.${target.tenant}\0`).exec(parameters) ?? [];
      if (role === undefined) {
        const head = Buffer.from('E\0\0\0\0');
        head.writeInt32BE(refusal.length + 4, 1);
        client.end(Buffer.concat([head, Buffer.from(refusal)]));
        return;
      }
      roles.add(role);
      const rest = parameters.replace(suffixed, `user\0${role}\0`);
      const head = first.subarray(0, headLength);
      head.writeInt32BE(headLength + rest.length);
      const upstream = net.connect(`${target.host}/.s.PGSQL.${target.port}`);
      upstream.on('error', () => client.destroy());
      upstream.write(Buffer.concat([head, Buffer.from(rest, 'latin1')]));
      client.pipe(upstream).pipe(client);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    roles,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
