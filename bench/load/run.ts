import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { plainEnvironment } from '../settings.ts';
import type { Load, LoadResult } from './load.ts';

const generator = fileURLToPath(new URL('generator.ts', import.meta.url));

export async function runLoad(load: Load): Promise<LoadResult> {
  const child = spawn(process.execPath, [generator, JSON.stringify(load)], {
    env: plainEnvironment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`the load generator ended with ${code}`);
  return JSON.parse(output);
}
