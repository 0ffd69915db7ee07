import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { openDatabase, type RoleNames } from '#db';
import { withClient } from './databases.ts';
import { serverUrl } from './postgres-server.ts';

export interface Roles {
  readonly names: RoleNames;
  readonly serviceUrl: string;
  readonly backgroundUrl: string;
  /** The role of the command line. */
  readonly operatorUrl: string;
  drop(): Promise<void>;
}

export async function createRoles(url: string): Promise<Roles> {
  const prefix = `${inject('databasePrefix')}${randomBytes(6).toString('hex')}`;
  const names = {
    service: `${prefix}_service`,
    background: `${prefix}_background`,
    operator: `${prefix}_operator`,
  };
  const limits = { acquireMilliseconds: 60_000, statementMilliseconds: 60_000 };
  const owner = await openDatabase({ databaseUrl: url, dataDir: '', role: 'command', limits });
  await owner.applyRoles(names);
  await owner.close();
  const { password } = new URL(serverUrl);
  const urlOf = (role: string) => {
    const target = new URL(url);
    target.username = role;
    return target.href;
  };
  if (password !== '') {
    const secret = decodeURIComponent(password).replaceAll("'", "''");
    await withClient(url, async (client) => {
      for (const role of Object.values(names)) {
        await client.query(`alter role ${role} password '${secret}'`);
      }
    });
  }
  return {
    names,
    serviceUrl: urlOf(names.service),
    backgroundUrl: urlOf(names.background),
    operatorUrl: urlOf(names.operator),
    drop: () =>
      withClient(url, async (client) => {
        const all = Object.values(names).join(', ');
        await client.query(`drop owned by ${all}; drop role ${all}`);
      }),
  };
}
