/** The only reader of the environment. */
const { BENCH_DATABASE_URL, BENCH_REDIS_URL, BENCH_NODE_OPTIONS, PATH, HOME, TMPDIR } = process.env;

/** A PostgreSQL, as its superuser: the run creates databases and roles, and turns triggers off for a clean start. */
export const serverUrl = BENCH_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres';

export const redisUrl = BENCH_REDIS_URL || 'redis://127.0.0.1:6379';

/** Options for the service's Node only, such as `--cpu-prof --cpu-prof-dir=/tmp/profiles`. */
export const nodeOptions = BENCH_NODE_OPTIONS?.split(' ') ?? [];

/** Part of each signed value. */
export const publicUrl = 'https://bench.example';

/** The options that `npm start` gives the service. */
export const startEnvironment = {
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  NODE_COMPILE_CACHE: '.compile-cache',
};

/** The environment of each measured process. No other setting of the machine leaks in. */
export const plainEnvironment: Readonly<Record<string, string>> = {
  ...(PATH && { PATH }),
  ...(HOME && { HOME }),
  ...(TMPDIR && { TMPDIR }),
  NODE_ENV: 'production',
  GRAPHILE_ENV: 'production',
};
