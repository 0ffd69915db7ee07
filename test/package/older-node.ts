import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** An installed Node that is older than the one that runs this test, if there is one. */
export const olderNode = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'node'))
  .filter((path) => !path.includes('node_modules') && existsSync(path))
  .find((path) => {
    const major = Number(/^v(\d+)/.exec(spawnSync(path, ['-v'], { encoding: 'utf8' }).stdout)?.[1]);
    return major >= 20 && major < 26;
  });
if (olderNode === undefined) console.warn('SKIPPED: no Node from 20 to 25 on this machine');
