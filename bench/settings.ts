const { BENCH_DATABASE_URL, BENCH_REDIS_URL, BENCH_NODE_OPTIONS, PATH, HOME, TMPDIR } = process.env;

/** The database URL of a superuser. The bench needs one to create databases and roles and to turn off triggers. */
export const serverUrl = BENCH_DATABASE_URL || 'postgres://postgres@127.0.0.1:5432/postgres';

export const redisUrl = BENCH_REDIS_URL || 'redis://127.0.0.1:6379';

/** Options for the service's Node process, such as `--cpu-prof --cpu-prof-dir=/tmp/profiles`. */
export const nodeOptions = BENCH_NODE_OPTIONS?.split(' ') ?? [];

export const publicUrl = 'https://bench.example';

/** As in `npm start`. */
export const startEnvironment = {
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '1048576',
  NODE_COMPILE_CACHE: '.compile-cache',
};

/** The environment of each started process, without other variables of this machine. */
export const plainEnvironment: Readonly<Record<string, string>> = {
  ...(PATH && { PATH }),
  ...(HOME && { HOME }),
  ...(TMPDIR && { TMPDIR }),
  NODE_ENV: 'production',
  GRAPHILE_ENV: 'production',
};
