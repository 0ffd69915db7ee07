import { styleText } from 'node:util';
import { ConfigError } from '../../gateway/config.ts';
import { exitCodes } from '../../gateway/describe-error.ts';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import { freeCommand } from '../command.ts';
import type { CliContext } from '../context.ts';
import { runDeepChecks } from '../doctor/deep.ts';
import { type Finding, runChecks } from '../doctor/index.ts';
import { flag } from '../options.ts';
import { CommandError } from '../output.ts';

const colors = { ok: 'green', warning: 'yellow', failed: 'red' } as const;

export const commands = freeCommand(
  'doctor',
  'check everything that the service needs, with advice for each problem; exits 1 if a check fails',
  {
    examples: ['', '--json', '--deep'],
    parameters: {
      deep: flag('--deep', 'also compare all stored data with its history, which can take minutes'),
    },
    async act({ deep }, context, show) {
      const { findings, exitCode } = await runAllChecks(context, deep);
      const failed = findings.filter(({ state }) => state === 'failed').length;
      await show({
        json: { object: 'report', healthy: failed === 0, findings },
        text: findings.map(showFinding).join('\n'),
      });
      if (failed === 0) return;
      throw new CommandError(`${failed} of ${findings.length} checks failed`, exitCode);
    },
  },
);

async function runAllChecks(context: CliContext, isDeep: boolean) {
  try {
    const config = context.readConfig();
    const findings = await runChecks(config);
    if (isDeep) findings.push(...(await runDeepChecks(context, config)));
    return { findings, exitCode: exitCodes.refused };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const finding: Finding = {
      check: 'configuration',
      state: 'failed',
      message: error.message,
      advice: 'docs/configuration.md lists the allowed values; no other check has run',
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
