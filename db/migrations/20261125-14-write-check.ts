import { firstRelease } from './schema-migration.ts';

/**
 * `check_write()` fails if the database can't be written to. The function counts more rows than fit into `work_mem`, so
 * PostgreSQL writes a temporary file. Writing this file fails on a full disk. Setting a sequence writes and commits
 * without adding rows. No table grows, and no lock blocks a dump, a standby or another process.
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
        null; -- The server limits temporary files, so this check can't test the disk.
      end;
      perform setval('write_check', 1);
    end
  $$;`,
);
