import { readFile } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import { describeError, exitCodes } from '../../gateway/describe-error.ts';
import { escapeControls } from '../../gateway/logs/escape-controls.ts';
import { freeCommand } from '../command.ts';
import type { CliContext } from '../context.ts';
import { openInput } from '../import/input.ts';
import { argument, optional } from '../options.ts';
import { CommandError } from '../output.ts';
import { readDocuments } from '../verify/documents.ts';
import { fetchJson, isUrl, openUrl } from '../verify/fetch.ts';
import { createFixedKeySet, type FindKeys, keysOfOrigins } from '../verify/key-sets.ts';
import { type Problem, type Report, verifyDocuments } from '../verify/verify-documents.ts';

const shownProblems = 100;

/**
 * Limits the lines about complete receipts. An export needs few, because all its receipts are complete as of the same
 * time.
 */
const shownEnds = 10;

interface Options {
  readonly source: string;
  readonly jwks: string | undefined;
  readonly trust: string[] | undefined;
  readonly keyFile: string | undefined;
}

const explanation = `
Input: a response of REST, GraphQL or tRPC, a list of receipts, events, live updates, an export in either format, or a
history as CSV.
Keys: from --jwks, otherwise from the URL in the metric. This URL must have the origin of the <source> or an origin of
--trust, because a forged metric can name the forger's keys. For a file or stdin without --jwks and --trust, the keys
come from the database of the service.

Exit codes: 0 everything is verified, 1 some parts are not, 2 nothing could be checked.`;

export const commands = freeCommand(
  'verify',
  'verify the signatures of metrics and receipts, and compare each field with the signed one',
  {
    examples: [
      '- < metrics.json',
      'export.ndjson --jwks jwks.json',
      'https://api.example.com/v1/companies/co_harbor/metrics --key-file key.txt',
    ],
    explanation,
    parameters: {
      source: argument('<source>', 'a file, a URL, or - for stdin'),
      jwks: optional('--jwks <source>', 'the key set: a file or a URL'),
      trust: optional(
        '--trust <origin>',
        'an origin whose key set is trusted; may be repeated',
        addOrigin,
      ),
      keyFile: optional('--key-file <file>', 'a file with the API key to send to the URL'),
    },
    async act(options, context, show) {
      const failures: Problem[] = [];
      const report = await check(options, context, failures);
      const { failed, ...verified } = report;
      if (verified.metrics + verified.receipts + failed === 0) {
        throw new CommandError('the input has nothing to verify', exitCodes.usage);
      }
      await show({ json: { ...verified, failed, failures }, text: describe(report, failures) });
      if (failed > 0) throw new CommandError(`${failed} could not be verified`);
    },
  },
);

/** @throws CommandError if the input can't be checked */
async function check(options: Options, context: CliContext, failures: Problem[]): Promise<Report> {
  let chunks: Readable | undefined;
  try {
    chunks = await openSource(options, context);
    const findKeys = await findKeysFor(options, context);
    const documents = readDocuments(addAbortSignal(context.signal, chunks));
    return await verifyDocuments(documents, findKeys, (problem) => {
      if (failures.length < shownProblems) failures.push(problem);
    });
  } catch (error) {
    if (context.signal.aborted) throw error;
    const isOwn =
      error instanceof CommandError || (error instanceof Error && error.constructor === Error);
    const message = isOwn ? escapeControls(error.message) : describeError(error).message;
    throw new CommandError(message, exitCodes.usage);
  } finally {
    chunks?.destroy();
  }
}

async function openSource(
  { source, keyFile }: Options,
  { stdin, signal }: CliContext,
): Promise<Readable> {
  if (!isUrl(source)) return (await openInput(source, stdin)).chunks;
  const apiKey = keyFile === undefined ? undefined : (await readFile(keyFile, 'utf8')).trim();
  return openUrl(source, { signal, apiKey });
}

async function findKeysFor(
  { source, jwks, trust = [] }: Options,
  { signal, withComposition }: CliContext,
): Promise<FindKeys> {
  if (jwks !== undefined) {
    if (isUrl(jwks)) return createFixedKeySet((await fetchJson(jwks, { signal })).body);
    return createFixedKeySet(parse(await readFile(jwks, 'utf8'), jwks));
  }
  const own = isUrl(source) ? [new URL(source).origin] : [];
  const [first, ...others] = [...own, ...trust];
  if (first !== undefined) return keysOfOrigins([first, ...others], signal);
  const keys = await withComposition(({ operatorUseCases }) => operatorUseCases.listPublicKeys());
  if (keys.length === 0) {
    throw new Error('the database has no signing key: pass the key set with --jwks');
  }
  return createFixedKeySet({
    keys: keys.map(({ kid, x }) => ({ kty: 'OKP', crv: 'Ed25519', kid, x })),
  });
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON`);
  }
}

function addOrigin(text: string, before: readonly string[] = []): string[] {
  const url = URL.parse(text);
  if (url === null || !isUrl(text) || `${url.origin}/` !== url.href) {
    throw new InvalidArgumentError('It must be an origin like https://api.example.com.');
  }
  return [...before, url.origin];
}

function describe(
  { metrics, receipts, inexact, complete, failed }: Report,
  failures: readonly Problem[],
) {
  const lines = failures.map(({ position, message }) =>
    escapeControls(position === '' ? message : `${position}: ${message}`),
  );
  if (failed > failures.length) lines.push(`and ${failed - failures.length} more failures`);
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? '' : 's'}`;
  lines.push(
    `verified: ${count(metrics, 'metric')}, ${count(receipts, 'receipt')}; failed: ${failed}`,
  );
  const ends = Object.entries(complete);
  for (const [known, requests] of ends.slice(0, shownEnds)) {
    lines.push(`the receipts of ${count(requests, 'access request')}: ${known}`);
  }
  if (ends.length > shownEnds) lines.push(`and ${ends.length - shownEnds} more; see --json`);
  if (inexact > 0) {
    lines.push(`only about 16 digits could be compared in ${count(inexact, 'amount')}`);
  }
  return lines.join('\n');
}
