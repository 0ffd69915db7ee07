import { firstRelease } from './schema-migration.ts';

/**
 * `check_write()` tests whether the database can be written to. Counting more rows than fit into `work_mem` writes a
 * temporary
 * file of some hundred kilobytes, which fails on a full disk. Setting a sequence writes and commits in place. So
 * nothing
 * grows, and no lock is taken that a dump, a standby or another process would wait for. The function has its owner's
 * rights, so that every role can call it.
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
        null; -- A server that allows no such files says nothing about its disk.
      end;
      perform setval('write_check', 1);
    end
  $$;`,
);
