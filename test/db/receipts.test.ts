import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { describeOnPostgres, untilSomeoneWaits, withClient } from '../support/databases.ts';
import { type OperatorSide, openOperatorSide } from '../support/operator.ts';
import { someCases } from '../support/property-runs.ts';
import { jwksOf, verifyChain } from '../support/receipt-chain.ts';

const day = 86_400_000;
const inDays = (count: number) => new Date(Date.now() + count * day);

await describeOnPostgres('consent receipts', (createDatabase) => {
  const openSide = (url: string, withKey = true) =>
    openOperatorSide({
      DATABASE_URL: url,
      ...(withKey && { SIGNING_KEY_FILE: inject('signingKeyFile') }),
    });

  const verify = async ({ operator }: OperatorSide, id: string) =>
    verifyChain(
      (await operator.listReceipts({ id })).items,
      jwksOf(await operator.listPublicKeys()),
    );

  describe('in the database', () => {
    let url: string;
    let side: OperatorSide;
    const query = (text: string, values: unknown[] = []) =>
      withClient(url, (client) => client.query(text, values));

    beforeAll(async () => {
      url = (await createDatabase()).url;
      side = await openSide(url);
    });
    afterAll(() => side.close());

    async function aRequest() {
      const made = await side.fixtures.portfolio();
      return (await side.fixtures.request(made.key, made.company.id, ['metrics:read'])).id;
    }

    async function aGrant() {
      const id = await aRequest();
      await side.operator.approveAccessRequest({ id, expiresAt: inDays(10) });
      return id;
    }

    describe('after receipts were stored', () => {
      const replica = 'set session_replication_role = replica; ';
      const statements = [
        `update consent_receipt set company_name = 'Other'`,
        'delete from consent_receipt',
        'truncate consent_receipt',
        'truncate access_event cascade',
        `update access_event set reason = 'Other'`,
        `update access_event set access_request = access_request || '{"status": "revoked"}'`,
        `update access_event set type = 'access_request.revoked'`,
        `update access_event set created_at = now()`,
        `update access_event set actor_type = 'operator', actor_id = null`,
      ];
      beforeAll(aGrant);

      test.each([...statements, ...statements.map((text) => replica + text)])(
        'they and their events can’t be changed, even by the owner of the tables: %s',
        async (statement) => {
          await expect(query(statement)).rejects.toMatchObject({ code: '42501' });
        },
      );

      test('their events can still get positions in the feed', async () => {
        await side.operator.listAccessEvents({});
        const { rows } = await query('select from access_event where position is null');
        expect(rows).toEqual([]);
      });

      test('their events can’t be deleted', async () => {
        await expect(query('delete from access_event')).rejects.toMatchObject({
          constraint: 'consent_receipt_event',
        });
      });
    });

    test('form chains without a fork or a gap, even if two processes change the same access requests at once', async () => {
      const other = await openSide(url);
      const ids = [await aGrant(), await aGrant()];
      let days = 100;
      const changes = ids.flatMap((id) =>
        Array.from({ length: 20 }, (_, index) => {
          days += 1;
          const { operator } = index % 2 === 0 ? side : other;
          return operator.extendAccessRequest({ id, expiresAt: inDays(days) }).catch(() => null);
        }),
      );
      const done = await Promise.all(changes);
      const chains = await Promise.all(ids.map((id) => verify(side, id)));
      expect(chains.flat()).toHaveLength(4 + done.filter((request) => request !== null).length);
      expect(chains.flat().length).toBeGreaterThan(4);
      const history = await side.operator.showAccessRequest({ id: ids[0] ?? '' });
      expect(chains[0]?.map(({ event_id }) => event_id)).toEqual(
        history.history.map((event) => event.id),
      );
      await other.close();
    });

    test('can’t lose the reference to their signing key while they have a signature', async () => {
      const id = await aGrant();
      const strip = `update consent_receipt set signing_key = null where access_request_id = '${id}'`;
      await expect(
        withClient(url, async (client) => {
          await client.query('begin');
          await client.query('alter table consent_receipt disable trigger user');
          await client.query(strip);
        }),
      ).rejects.toMatchObject({ constraint: 'consent_receipt_signature_is_whole' });
      expect(await verify(side, id)).toHaveLength(2);
    });

    test('are signed once, with the next key, if their key is retired during the change', async () => {
      const file = join(await mkdtemp(join(tmpdir(), 'retired-')), 'key.json');
      const open = () => openOperatorSide({ DATABASE_URL: url, SIGNING_KEY_FILE: file });
      const own = await open();
      const { kid } = await own.operator.rotateSigningKey({ atOnce: true });
      const id = await aRequest();
      let nextKid = '';
      await withClient(url, async (client) => {
        await client.query('begin');
        await client.query('update signing_key set retired_at = now() where kid = $1', [kid]);
        const approving = own.operator.approveAccessRequest({ id });
        await untilSomeoneWaits(url);
        const other = await open();
        nextKid = (await other.operator.rotateSigningKey({ atOnce: true })).kid;
        await other.close();
        await client.query('commit');
        expect((await approving).accessRequest.status).toBe('approved');
      });
      expect(await verify(own, id)).toHaveLength(2);
      const { items, awaitsSignature } = await own.operator.listReceipts({ id });
      expect(awaitsSignature).toBe(false);
      const [header = ''] = items[1]?.jws.split('.') ?? [];
      expect(JSON.parse(Buffer.from(header, 'base64url').toString()).kid).toBe(nextKid);
      await own.close();
    });

    describe('with a direct change in the database', () => {
      const receipt = (column: string) => `update consent_receipt set ${column}
        where access_request_id = $1 and previous_id is not null`;
      const event = (column: string) => `update access_event set ${column}
        where access_request_id = $1 and type = 'access_request.approved'`;
      const snapshot = (name: string, value: string) =>
        event(`access_request = jsonb_set(access_request, '{${name}}', '${value}')`);

      beforeAll(async () => {
        const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
        await query(
          `insert into signing_key (kid, public_key, created_at) values ('another key', $1, now())`,
          [x],
        );
      });

      const changes = [
        ['the name of the company', receipt(`company_name = company_name || ' '`)],
        ['the name of the investor', receipt(`investor_name = lower(investor_name)`)],
        ['the environment', receipt(`environment = 'test'`)],
        ['the instant', receipt(`issued_at = issued_at + interval '1 millisecond'`)],
        [
          'the signature',
          receipt('signature = set_byte(signature, 5, (get_byte(signature, 5) + 1) % 256)'),
        ],
        [
          'the key',
          receipt(`signing_key = (
            select max(number) from signing_key where number <> consent_receipt.signing_key)`),
        ],
        ['the type', event(`type = 'access_request.extended'`)],
        ['the kind of actor', event(`actor_type = 'contact', actor_signed_in_by = 'link'`)],
        ['the id of the actor', event(`actor_id = 'ct_1'`)],
        ['the reason', event(`reason = 'Because.'`)],
        ['the id of the request', snapshot('id', '"ar_other"')],
        ['the company', snapshot('companyId', '"co_other"')],
        ['the investor', snapshot('investorId', '"inv_other"')],
        ['the purpose', snapshot('purpose', '"Other."')],
        ['the purpose of an addition', snapshot('pendingPurpose', '"Other."')],
        ['the requested scopes', snapshot('requestedScopes', '["metrics:read", "sources:read"]')],
        ['the scopes of the addition', snapshot('pendingScopes', '["sources:read"]')],
        ['the granted scopes', snapshot('approvedScopes', '["sources:read"]')],
        ['the end of the grant', snapshot('expiresAt', '"2099-01-01T00:00:00.000Z"')],
        ['the status', snapshot('status', '"revoked"')],
      ] as const;
      test.each(someCases(changes))(
        'don’t verify after a change of %s',
        async (_what, statement) => {
          const id = await aGrant();
          expect(await verify(side, id)).toHaveLength(2);
          await withClient(url, async (client) => {
            await client.query('begin');
            await client.query(`
            alter table consent_receipt disable trigger user;
            alter table access_event disable trigger user`);
            const { rows } = await client.query(`${statement} returning id`, [id]);
            expect(rows).toHaveLength(1);
            await client.query(`
            alter table consent_receipt enable trigger user;
            alter table access_event enable trigger user;
            alter table consent_receipt enable always trigger append_only;
            alter table access_event enable always trigger append_only`);
            await client.query('commit');
          });
          await expect(verify(side, id)).rejects.toThrow();
        },
      );
    });
  });
});
