import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const program = fileURLToPath(new URL('../../node_modules/.bin/redocly', import.meta.url));

/** Returns the JSON output of a command. */
export async function redocly(cwd: string, ...command: readonly string[]) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, ...command, '--format=json'],
    {
      cwd,
      env: {
        ...process.env,
        REDOCLY_TELEMETRY: 'off',
        REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        CI: 'true',
      },
      maxBuffer: 64 * 1024 * 1024,
    },
  ).catch((error: { stdout?: string; stderr?: string }) => {
    // Redocly exits with 1 if it finds errors, but still prints them on stdout.
    if (!error.stdout?.includes('{')) throw error;
    return { stdout: error.stdout };
  });
  return JSON.parse(stdout.slice(stdout.indexOf('{')));
}
