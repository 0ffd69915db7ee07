import { styleText } from 'node:util';
import type { Command } from 'commander';
import { ConfigError } from '../../gateway/config.ts';
import { exitCodes } from '../../gateway/describe-error.ts';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import type { CliContext } from '../context.ts';
import { type Finding, runChecks } from '../doctor/index.ts';
import { addCommand } from '../options.ts';
import { CommandError, write } from '../output.ts';

const colors = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

export function addDoctorCommand(program: Command, context: CliContext): void {
  const description =
    'look at everything that the service needs, and say what to do; exits 1 when something is broken';
  addCommand(program, 'doctor', description, ['', '--json']).action(
    async (_options: object, command: Command) => {
      const { findings, exitCode } = await look(context);
      const failed = findings.filter(({ state }) => state === 'failed').length;
      const isHealthy = failed === 0;
      const asJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
      const text = asJson
        ? JSON.stringify({ object: 'report', healthy: isHealthy, findings })
        : findings.map(showFinding).join('\n');
      await write(context.stdout, `${text}\n`);
      if (!isHealthy)
        throw new CommandError(`${failed} of ${findings.length} findings must be mended`, exitCode);
    },
  );
}

async function look({ readConfig }: CliContext) {
  try {
    return { findings: await runChecks(readConfig()), exitCode: exitCodes.refused };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const finding: Finding = {
      check: 'configuration',
      state: 'failed',
      message: error.message,
      advice: 'docs/configuration.md says what each variable may be; nothing else was looked at',
    };
    return { findings: [finding], exitCode: exitCodes.usage };
  }
}

function showFinding({ check, state, message, advice }: Finding): string {
  const head = `${styleText(colors[state], state.padEnd(8))} ${check.padEnd(14)}`;
  const [first = '', ...more] = message.split('\n').map(escapeControls);
  const rest = [...more, ...(advice === null ? [] : [`→ ${escapeControls(advice)}`])];
  return [`${head} ${first}`, ...rest.map((line) => ' '.repeat(24) + line)].join('\n');
}
