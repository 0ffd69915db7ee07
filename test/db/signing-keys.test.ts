import { beforeAll, expect, test } from 'vitest';
import { createAccessEvent } from '#core';
import { addPair, anAccessRequest, at, freshId } from '../contracts/builders.ts';
import {
  describeOnPostgres,
  untilSomeoneWaits,
  useDatabase,
  withClient,
} from '../support/databases.ts';

await describeOnPostgres('a signing key', (createDatabase) => {
  const database = useDatabase(createDatabase);

  beforeAll(async () => {
    await withClient(database.url, (client) =>
      client.query(
        `create table signed (signing_key smallint references signing_key (active_number))`,
      ),
    );
  });

  const register = () =>
    database.repositories.signingKeys.register({ kid: freshId('kid'), x: 'x' }, at());
  const retire = (kid: string) => database.repositories.signingKeys.retire(kid, at(1));
  const store = (number: number) => `insert into signed values (${number})`;

  test.each([
    ['renamed', (kid: string) => `update signing_key set kid = 'other' where kid = '${kid}'`],
    ['exchanged', (kid: string) => `update signing_key set public_key = 'y' where kid = '${kid}'`],
    ['removed', (kid: string) => `delete from signing_key where kid = '${kid}'`],
    ['removed with all others', () => 'truncate signing_key cascade'],
  ])('can’t be %s by any role', async (_what, statement) => {
    const { kid } = await register();
    await withClient(database.url, async (client) => {
      for (const role of ['origin', 'replica']) {
        await client.query(`set session_replication_role = ${role}`);
        await expect(client.query(statement(kid))).rejects.toThrow(
          'rows of signing_key are only added',
        );
      }
    });
  });

  test('is retired only after another session has stored a signature made with it', async () => {
    const { kid, number } = await register();
    await withClient(database.url, async (client) => {
      await client.query('begin');
      await client.query(store(number));
      const retiring = retire(kid);
      await untilSomeoneWaits(database.url);
      await client.query('commit');
      expect(await retiring).toBe('in_use');
    });
  });

  test('can’t be used for a new signature while it is being retired', async () => {
    const { kid, number } = await register();
    await withClient(database.url, async (client) => {
      await client.query('begin');
      await client.query(`update signing_key set retired_at = now() where kid = '${kid}'`);
      const storing = withClient(database.url, (other) => other.query(store(number))).catch(
        (error: unknown) => error,
      );
      await untilSomeoneWaits(database.url);
      await client.query('commit');
      expect(await storing).toMatchObject({ code: '23503' });
    });
  });

  test('signs no receipt while it is being retired, but the change of consent is still stored', async () => {
    const { kid, number } = await register();
    const { accessRequests } = database.repositories;
    const request = anAccessRequest(await addPair(database.repositories));
    const actor = { type: 'investor', id: request.investorId } as const;
    const event = createAccessEvent(freshId('evt'), request, actor, at());
    const identity = { keyNumber: number, kid, sign: () => new Uint8Array(64) };
    await withClient(database.url, async (client) => {
      await client.query('begin');
      await client.query(`update signing_key set retired_at = now() where kid = '${kid}'`);
      const changing = accessRequests.transact(null, async (transaction) => {
        await transaction.add(request);
        await transaction.addEvent(event, identity);
      });
      await untilSomeoneWaits(database.url);
      await client.query('commit');
      await changing;
    });
    const { rows } = await withClient(database.url, (client) =>
      client.query('select signing_key, signature from consent_receipt where event_id = $1', [
        event.id,
      ]),
    );
    expect(rows).toEqual([{ signing_key: null, signature: null }]);
  });

  test('is referenced by the column active_number of each signed table, so a retired key can’t sign', async () => {
    const { rows } = await withClient(database.url, (client) =>
      client.query(
        `select conrelid::regclass::text as table, attname as column
        from pg_constraint join pg_attribute on attrelid = confrelid and attnum = any(confkey)
        where contype = 'f' and confrelid = 'signing_key'::regclass`,
      ),
    );
    expect(rows).toContainEqual({ table: 'signed', column: 'active_number' });
    expect(rows.filter(({ column }) => column !== 'active_number')).toEqual([]);
  });
});
