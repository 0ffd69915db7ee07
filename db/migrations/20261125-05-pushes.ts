import { firstRelease } from './schema-migration.ts';

/** Stores the results of pushes with an idempotency key. A repeated push with the same key gets the stored result. */
export const pushes = firstRelease(
  '20261125-05-pushes',
  `create table idempotent_push (
    company_id text collate "C" not null constraint idempotent_push_company references company (id),
    key text not null,
    fingerprint bytea not null,
    pushed_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    created integer not null,
    revised integer not null,
    unchanged integer not null,
    data_version bigint not null,
    primary key (company_id, key)
  );
  create index idempotent_push_by_expiry on idempotent_push (expires_at);`,
);
