import { withClient } from '../servers.ts';

/**
 * Gives every value a signature of the right length, which nobody verifies here: reading costs the same. The other
 * programs of the bench know nothing of signatures, so only a comparison of two checkouts asks for them.
 */
export async function fillSignatures(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query(`set session_replication_role = replica; set synchronous_commit = off`);
    await client.query(
      `insert into signing_key (kid, public_key, created_at)
        values (repeat('k', 43), repeat('x', 43), now()) on conflict do nothing`,
    );
    await client.query(
      `update metric_point set signed_at = as_of, signing_key = key.number,
          signature = decode(md5(raw_value::text) || md5(period::text) || md5(value) || md5(value || period::text), 'hex')
        from signing_key as key where signature is null`,
    );
    await client.query('vacuum analyze metric_point');
  });
}
