import { firstRelease } from './schema-migration.ts';

/**
 * `check_write()` fails if the database can't be written to. Counting more rows than fit into `work_mem` writes a
 * temporary file, which fails on a full disk. Setting a sequence writes and commits in place. Nothing grows, and no
 * lock blocks a dump, a standby or another process.
 */
export const writeCheck = firstRelease(
  '20261125-14-write-check',
  `
  create sequence write_check;
  create function check_write() returns void language plpgsql security definer
    set search_path from current set work_mem = '64kB' set temp_tablespaces = '' as $$
    begin
      begin
        perform count(*) from generate_series(1, 20000);
      exception when configuration_limit_exceeded then
        null; -- The server limits temporary files, so the disk is not tested.
      end;
      perform setval('write_check', 1);
    end
  $$;`,
);
